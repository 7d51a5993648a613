import type { FileSystem, OpenFile } from './file-system.ts'
import { removeIfThere } from './remove-if-there.ts'

/**
 * Puts a new file under a name, in place of the old one if there is one, and leaves it open: written under another name
 * first, so that after a crash at any step there is the old file or the new one, whole. `write` syncs what it writes,
 * unless the file is `durable`; the caller syncs the directory.
 */
export async function replaceFile(
  fileSystem: FileSystem,
  path: string,
  durable: boolean,
  write: (file: OpenFile) => Promise<void>,
): Promise<OpenFile> {
  const temporary = `${path}.tmp`
  await removeIfThere(fileSystem, temporary)
  const file = await fileSystem.open(temporary, { access: 'create', durable })
  try {
    await write(file)
    await fileSystem.rename(temporary, path)
    return file
  } catch (error) {
    await file.close().catch(() => undefined) // the first error is the one to report
    await removeIfThere(fileSystem, temporary).catch(() => undefined) // the next attempt removes it
    throw error
  }
}
