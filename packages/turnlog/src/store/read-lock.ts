import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LockRecord } from './judge-lock.ts'
import { judgeLock } from './judge-lock.ts'
import type { StorePlace } from './store-place.ts'

/** Who has a store open, as far as its lock file and this machine can tell. */
export interface LockState {
  readonly state: 'free' | 'held' | 'left behind' | 'unclear'
  /** To be deleted if its owner is gone and nobody can see that. */
  readonly file?: string
  readonly pid?: number
  readonly host?: string
  readonly since?: string
}

/** Reads the lock file itself; the lock of LevelDB must not be touched, since reading it can release it. */
export async function readLock({ directory, found }: StorePlace): Promise<LockState> {
  const file = found === 'leveldb' ? join(directory, 'turnlog.lock') : newestNumbered(directory)
  if (file === undefined) return { state: 'free' }
  let record: LockRecord
  try {
    record = found === 'leveldb' ? lastClaim(file) : readRecord(file)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { state: 'free' } : { state: 'unclear', file }
  }
  if (record['released'] === true) return { state: 'free' }
  const { pid, host, since } = record
  if (typeof pid !== 'number' || typeof host !== 'string') return { state: 'unclear', file }
  const at = typeof since === 'number' ? new Date(since).toISOString() : String(since)
  return { state: await judgeLock(directory, record, pid), file, pid, host, since: at }
}

function newestNumbered(directory: string): string | undefined {
  const numbers = readdirSync(directory).flatMap((name) => /^turnlog\.lock\.(\d+)$/.exec(name)?.[1] ?? [])
  const newest = numbers.map(Number).sort((a, b) => b - a)[0]
  return newest === undefined ? undefined : join(directory, `turnlog.lock.${newest}`)
}

/** Who takes a lock of LevelDB over first puts his own behind it, named after the claim of the one before him. */
function lastClaim(file: string): LockRecord {
  const seen = new Set<unknown>()
  let record = readRecord(file)
  while (!seen.has(record['claim'])) {
    seen.add(record['claim'])
    const next = `${file}.${String(record['claim'])}`
    if (existsSync(next)) record = readRecord(next)
  }
  return record
}

function readRecord(file: string): LockRecord {
  return (JSON.parse(readFileSync(file, 'utf8')) ?? {}) as LockRecord
}
