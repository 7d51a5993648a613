import type { FileSystem } from './file-system.ts'
import { systemCode } from './file-system.ts'

/** Removes a file and says whether there was one. */
export async function removeIfThere(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    await fileSystem.remove(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
