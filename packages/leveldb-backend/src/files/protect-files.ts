import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const TOLERATED: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EPERM', 'ENOTSUP', 'ENOSYS'])

/**
 * Takes the files of a store from everybody else. LevelDB makes them readable for all; the directory keeps others out,
 * but not out of a copy of the files. Called when the store is opened and closed: what LevelDB makes in between is
 * protected by the directory alone.
 */
export function protectFiles(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name)
    const stat = statSync(file, { throwIfNoEntry: false }) // LevelDB may just have deleted it
    if (stat?.isFile() !== true || (stat.mode & 0o077) === 0) continue
    try {
      chmodSync(file, 0o600)
    } catch (error) {
      // Deleted since, another user's, or on a file system without modes: no reason not to open.
      if (!TOLERATED.has((error as NodeJS.ErrnoException).code)) throw error
    }
  }
}
