import { readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { StorePlace } from './store-place.ts'

/** Who has a store open, as far as its lock file and this machine can tell. */
export interface LockState {
  readonly state: 'free' | 'held' | 'left behind' | 'unclear'
  readonly file?: string
  readonly pid?: number
  readonly host?: string
  readonly since?: string
}

/** Reads the lock file itself; the lock of LevelDB must not be touched, since reading it can release it. */
export function readLock({ directory, found }: StorePlace): LockState {
  const file = found === 'leveldb' ? join(directory, 'turnlog.lock') : newestNumbered(directory)
  if (file === undefined) return { state: 'free' }
  let record: Readonly<Record<string, unknown>>
  try {
    record = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { state: 'free' } : { state: 'unclear', file }
  }
  if (record['released'] === true) return { state: 'free' }
  const { pid, host, since } = record
  if (typeof pid !== 'number' || typeof host !== 'string') return { state: 'unclear', file }
  const at = typeof since === 'number' ? new Date(since).toISOString() : String(since)
  const state = host !== hostname() ? 'unclear' : isRunning(pid) ? 'held' : 'left behind'
  return { state, file, pid, host, since: at }
}

function newestNumbered(directory: string): string | undefined {
  const numbers = readdirSync(directory).flatMap((name) => /^turnlog\.lock\.(\d+)$/.exec(name)?.[1] ?? [])
  const newest = numbers.map(Number).sort((a, b) => b - a)[0]
  return newest === undefined ? undefined : join(directory, `turnlog.lock.${newest}`)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
