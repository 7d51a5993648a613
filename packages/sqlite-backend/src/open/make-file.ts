import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes the file if it is missing, readable for its owner alone; SQLite gives the files beside it the same mode.
 * The file is opened under another name, because closing it would let go of the locks that this process has on it.
 */
export function makeFile(path: string): void {
  if (existsSync(path)) return
  const directory = dirname(path)
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    closeSync(openSync(draft, 'wx', 0o600))
    linkUnlessThere(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
  for (let synced = directory; ; synced = dirname(synced)) {
    syncDirectory(synced)
    if (made === undefined || synced.length < made.length || synced === dirname(synced)) return
  }
}

function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return // another process was quicker
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    // There are no links on this file system. Nobody can have the file open yet.
    closeSync(openSync(path, 'a', 0o600))
  }
}

/** Windows has no such thing, and does not need it. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
