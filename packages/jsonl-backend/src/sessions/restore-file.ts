import type { OpenFile } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { replaceFile } from './replace-file.ts'
import { copyBytes } from '../recovery/set-aside.ts'
import type { WriteContext } from './write-context.ts'

/** Errors that mean that nothing was allocated: the disk is as it was. */
const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Brings a file back to its first `size` bytes after a write behind them failed with `error`.
 *
 * A failed sync is never repeated: the kernel may have dropped the pages and then report success. So unless there was
 * simply no space, the good part is copied to a new file.
 */
export async function restoreFile(
  context: WriteContext,
  name: string,
  file: OpenFile,
  size: number,
  error: unknown,
): Promise<void> {
  const { durability } = context
  if (durability === 'os' || NO_SPACE.has(systemCode(error))) {
    try {
      await file.truncate(size)
      if (durability === 'sync') await file.sync()
      return
    } catch {
      // The copy below is the second way.
    }
  }
  const copy = await replaceFile(context, name, (target) => copyBytes(file, target, 0, size, 0))
  copy.release()
}
