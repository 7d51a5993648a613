import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { isMainThread } from 'node:worker_threads'
import { giveLifeSign, isAlive, isContained } from '@turnlog/core/life-sign'
import type { LifeSign } from '@turnlog/core/life-sign'

/** Who holds a directory. All of it together names one process for ever. */
export interface Owner {
  readonly host: string
  /** Random per start of the kernel; empty where there is none to read. */
  readonly boot: string
  readonly pidNamespace: string
  readonly pid: number
  /** When the process started, in ticks since the kernel did; empty where it cannot be read. */
  readonly start: string
}

export type Verdict = 'alive' | 'dead' | 'unknown'

/** What the lock has to know about this process and the others. */
export interface Host {
  readonly self: Owner
  /**
   * `unknown` for a process on another machine, or in another container of this one that gave no sign of life. `sign` is
   * the file at which it would have.
   */
  judge(owner: Owner, sign: string): Verdict | Promise<Verdict>
  /** Shows at `sign` that this process lives, if there may be others that cannot see it. */
  giveSign?(sign: string): Promise<LifeSign | undefined>
  /** Directories that this process has open for writing, by real path, and since when. */
  readonly claimed: Map<string, number>
  /** Locks of this process that could not be marked as released, by their token. */
  readonly abandoned: Set<string>
}

const SHARED: symbol = Symbol.for('turnlog.jsonl-backend.locks')

/** This machine. */
export function thisHost(): Host {
  const holder = globalThis as unknown as Record<symbol, Pick<Host, 'claimed' | 'abandoned'> | undefined>
  // On the global object, so that two copies of this package in one process still see each other.
  const { claimed, abandoned } = (holder[SHARED] ??= { claimed: new Map(), abandoned: new Set() })
  const self: Owner = {
    host: hostname(),
    boot: read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: read(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    start: read(() => startOf(process.pid)),
  }
  return {
    self,
    claimed,
    abandoned,
    judge: (owner, sign) => judge(self, owner, sign),
    // When a thread ends, its listener does before the writes that it has begun.
    giveSign: async (sign) => (isContained() && isMainThread ? giveLifeSign(sign) : undefined),
  }
}

async function judge(self: Owner, owner: Owner, sign: string): Promise<Verdict> {
  if (self.boot === '' || owner.boot === '') {
    if (owner.host !== self.host) return 'unknown'
  } else if (owner.boot !== self.boot) {
    // The same machine has been started anew since; a process of before is gone.
    return owner.host === self.host ? 'dead' : 'unknown'
  }
  if (owner.pidNamespace !== self.pidNamespace) {
    const lives = self.boot === '' ? undefined : await isAlive(sign)
    if (lives === undefined) return 'unknown'
    return lives ? 'alive' : 'dead'
  }
  if (!exists(owner.pid)) return 'dead'
  const start = read(() => startOf(owner.pid))
  // The number may have been given to another process in the meantime.
  return start !== '' && owner.start !== '' && start !== owner.start ? 'dead' : 'alive'
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the program's name and may contain anything; the 22nd is the start time.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function read(attempt: () => string): string {
  try {
    return attempt()
  } catch {
    return '' // no /proc on this system: the process number alone decides
  }
}
