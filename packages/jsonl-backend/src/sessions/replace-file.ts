import { join } from 'node:path'
import type { Lease } from '../file-system/file-pool.ts'
import type { OpenFile } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import type { WriteContext } from './write-context.ts'

/** The file has its name, but the name may not survive a power failure. */
export class UnsettledName extends Error {}

/**
 * Puts a new file under `name`, in place of the old one if there is one: written and synced under another name first,
 * so that after a crash at any step there is the old file or the new one, whole.
 *
 * @throws {@link UnsettledName} if only the last step failed, system errors if nothing has changed
 */
export async function replaceFile(
  context: WriteContext,
  name: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<Lease> {
  const { fileSystem, directory, durability } = context
  const path = join(directory, name)
  const temporary = `${path}.tmp`
  await removeIfThere(fileSystem, temporary)
  const file = await fileSystem.open(temporary, { access: 'create', durable: durability === 'sync' })
  try {
    await write(file)
    await fileSystem.rename(temporary, path)
  } catch (error) {
    await file.close().catch(() => undefined) // the first error is the one to report
    await removeIfThere(fileSystem, temporary).catch(() => undefined) // the next attempt removes it
    throw error
  }
  const lease = context.pool.adopt(name, file)
  if (durability === 'sync') {
    try {
      await context.syncDirectory()
    } catch (error) {
      lease.release()
      throw new UnsettledName('The directory could not be synced.', { cause: error })
    }
  }
  return lease
}
