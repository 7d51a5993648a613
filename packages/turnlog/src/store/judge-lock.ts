import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '@turnlog/core/life-sign'

/** A lock file of one of the two backends, which have other names for the same. */
export type LockRecord = Readonly<Record<string, unknown>>

/** Whether the owner of a lock runs. The backends look closer: they also tell one process from another with its number. */
export async function judgeLock(
  directory: string,
  record: LockRecord,
  pid: number,
): Promise<'held' | 'left behind' | 'unclear'> {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const isSameStart = boot !== '' && record['boot'] === boot
  if (!isSameStart) {
    if (record['host'] !== hostname()) return 'unclear'
    if (record['boot'] !== boot) return boot === '' || !isText(record['boot']) ? 'unclear' : 'left behind'
  }
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'))
  if ((record['namespace'] ?? record['pidNamespace']) === namespace) return isRunning(pid) ? 'held' : 'left behind'
  if (!isSameStart) return 'unclear'
  const sign = join(directory, `turnlog.lock.alive-${String(record['claim'] ?? record['token'])}`)
  const fileSystem = record['fileSystem'] ?? record['signedIn']
  const lives = await isAlive(sign, typeof fileSystem === 'number' ? fileSystem : undefined)
  if (lives === undefined) return 'unclear'
  return lives ? 'held' : 'left behind'
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function attempt(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // there is no /proc here
  }
}
