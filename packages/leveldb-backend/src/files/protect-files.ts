import { chmodSync, readdirSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'

/** Deleted since, another user's, or on a file system without modes: no reason not to go on. */
const TOLERATED: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EPERM', 'ENOTSUP', 'ENOSYS'])

/** Takes a directory from everybody else, whoever made it: what LevelDB makes in it is readable for all at first. */
export function protectDirectory(directory: string): void {
  tolerate(() => chmodSync(directory, 0o700))
}

/**
 * Takes the files of a store from everybody else. LevelDB makes them readable for all; the directory keeps others out,
 * but not out of a copy of the files. Called when the store is opened and closed; `VerifiedTables` follows what LevelDB makes
 * in between.
 */
export function protectFiles(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name)
    const stat = statSync(file, { throwIfNoEntry: false }) // LevelDB may just have deleted it
    if (stat?.isFile() !== true || (stat.mode & 0o077) === 0) continue
    tolerate(() => chmodSync(file, 0o600))
  }
}

/** The same for one file, while others go on. */
export async function protectFile(file: string): Promise<void> {
  try {
    await chmod(file, 0o600)
  } catch (error) {
    if (!TOLERATED.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

function tolerate(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!TOLERATED.has((error as NodeJS.ErrnoException).code)) throw error
  }
}
