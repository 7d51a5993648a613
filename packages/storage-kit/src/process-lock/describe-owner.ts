import type { LockDescription } from '@turnlog/core/backend'

import { checkOwner } from './check-owner.ts'
import type { LockRecord } from './lock-record.ts'

const STATES = { alive: 'held', dead: 'stale', unknown: 'unknown' } as const

/** @param record `undefined` if the lock file cannot be understood */
export async function describeOwner(record: LockRecord | undefined, file: string): Promise<LockDescription> {
  if (record === undefined) return { state: 'unknown', file }
  if (record.released === true) return { state: 'free' }
  const { pid, host, since } = record
  return { state: STATES[await checkOwner(record, file)], file, pid, host, since }
}
