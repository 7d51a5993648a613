import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { formatOwner, parseLock } from '@turnlog/storage-kit'
import type { LockRecord } from '@turnlog/storage-kit'
import type { FileSystem } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { readFully, writeAll } from '../file-system/write-all.ts'

const MAX_LOCK_BYTES = 65_536

export function lockFile(directory: string, number: number): string {
  return join(directory, `turnlog.lock.${number}`)
}

/** @returns `undefined` if it cannot be understood */
export async function readLock(fileSystem: FileSystem, path: string): Promise<LockRecord | 'gone' | undefined> {
  try {
    const file = await fileSystem.open(path, { access: 'read' })
    try {
      const content = await readFully(file, 0, Math.min(file.stat().size, MAX_LOCK_BYTES))
      return parseLock(content.toString('utf8'))
    } finally {
      await file.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'gone'
    throw error
  }
}

/** Writes it under a name of its own, synced, to be linked or renamed to a number. */
export async function writeLock(fileSystem: FileSystem, directory: string, record: LockRecord): Promise<string> {
  const path = join(directory, `turnlog.lock.${randomBytes(6).toString('hex')}.tmp`)
  const file = await fileSystem.open(path, { access: 'create' })
  try {
    await writeAll(file, Buffer.from(lockText(record)), 0)
    await file.sync()
  } finally {
    await file.close()
  }
  return path
}

/** With the names and the time for which earlier versions look. */
function lockText(record: LockRecord): string {
  const { claim, fileSystem, since, released = false } = record
  return formatOwner(record, { token: claim, signedIn: fileSystem, since: Date.parse(since), released })
}
