import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { fileSystemType, giveLifeSign, isAlive, isContained } from '@turnlog/core/life-sign'
import type { LifeSign } from '@turnlog/core/life-sign'
import { judgeOwner } from './judge-owner.ts'
import { startTime } from './start-time.ts'

/** Who holds a directory. All of it together names one process for ever. */
export interface Owner {
  readonly host: string
  /** Random per start of the kernel; empty where there is none to read. */
  readonly boot: string
  readonly pidNamespace: string
  readonly pid: number
  /** When the process started, in ticks since the kernel did; empty where it cannot be read. */
  readonly start: string
  /** In which the start time was read: each one counts it from another moment. Locks of older versions do not say it. */
  readonly timeNamespace?: string
  /** The kind of file system in which it gives a sign of life; not there if it gives none. */
  readonly signedIn?: number
}

export type Verdict = 'alive' | 'dead' | 'unknown'

/** What the lock has to know about this process and the others. */
export interface Host {
  readonly self: Owner
  /**
   * `unknown` for a process on another machine, in another container of this one that gave no sign of life, or with a
   * number that somebody has, since nobody knows when. `sign` is the file at which it would have given one.
   */
  judge(owner: Owner, sign: string): Verdict | Promise<Verdict>
  /** Shows at `sign` that this process lives, if there may be others that cannot see it. */
  giveSign?(sign: string): Promise<LifeSign | undefined>
  /** Whether the one who gave a sign is certainly gone. */
  hasEnded?(sign: string): Promise<boolean>
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
    start: startTime(process.pid),
    timeNamespace: read(() => readlinkSync('/proc/self/ns/time')),
  }
  return {
    self,
    claimed,
    abandoned,
    judge: (owner, sign) => judgeOwner(self, owner, sign),
    // When a thread ends, its listener does before the writes that it has begun.
    giveSign: async (sign) => (isContained() && isMainThread ? giveLifeSign(sign) : undefined),
    hasEnded: async (sign) => (await isAlive(sign, fileSystemType(dirname(sign)))) === false,
  }
}

function read(attempt: () => string): string {
  try {
    return attempt()
  } catch {
    return '' // there is no /proc here
  }
}
