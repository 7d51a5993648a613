import { join } from 'node:path'

import type { LockDescription } from '@turnlog/core/backend'
import { describeOwner } from '@turnlog/storage-kit'

import type { Found } from './claims.ts'
import { lastClaim, LOCK_FILE } from './claims.ts'

/** From the lock file alone: LevelDB's own lock must not be touched, because reading it can release it. */
export async function describeLock(directory: string): Promise<LockDescription> {
  let found: Found | undefined
  try {
    found = lastClaim(directory)
  } catch {
    return { state: 'unknown', file: join(directory, LOCK_FILE) } // not for this user to read
  }
  return found === undefined ? { state: 'free' } : describeOwner(found.record, found.file)
}
