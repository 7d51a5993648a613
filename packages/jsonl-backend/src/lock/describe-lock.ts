import type { LockDescription } from '@turnlog/core/backend'
import { describeOwner } from '@turnlog/storage-kit'
import { nodeFileSystem } from '../file-system/node-file-system.ts'
import { lockFile, readLock } from './lock-file.ts'
import { highestLock } from './lock-number.ts'

export async function describeLock(directory: string): Promise<LockDescription> {
  const number = highestLock(await nodeFileSystem.list(directory))
  if (number === 0) return { state: 'free' }
  const file = lockFile(directory, number)
  const record = await readLock(nodeFileSystem, file).catch(() => undefined) // not for this user to read
  return record === 'gone' ? { state: 'free' } : describeOwner(record, file)
}
