import {
  checkOwner,
  needsLivenessSocket,
  openLivenessSocket,
  processIdentity,
  removeStaleSockets,
} from '@turnlog/storage-kit'
import type { LivenessSocket, LockRecord, ProcessIdentity, Verdict } from '@turnlog/storage-kit'

/** What the lock has to know about this process and the others. */
export interface Host {
  readonly self: ProcessIdentity
  /** Whether the owner lives that is named in a lock file. */
  checkOwner(owner: LockRecord, file: string): Verdict | Promise<Verdict>
  /** Shows at a file that this process lives, if there may be others that cannot see it. */
  openSocket?(file: string): Promise<LivenessSocket | undefined>
  removeStaleSockets?(directory: string): Promise<void>
  /** Directories that this process has open for writing, by real path, and since when. */
  readonly claimed: Map<string, number>
  /** Locks of this process that could not be marked as released, by their claim. */
  readonly abandoned: Set<string>
}

const SHARED: symbol = Symbol.for('turnlog.jsonl-backend.locks')

/** This machine. */
export function thisHost(): Host {
  const holder = globalThis as unknown as Record<symbol, Pick<Host, 'claimed' | 'abandoned'> | undefined>
  // On the global object, so that two copies of this package in one process still see each other.
  const { claimed, abandoned } = (holder[SHARED] ??= { claimed: new Map(), abandoned: new Set() })
  const self = processIdentity()
  return {
    self,
    claimed,
    abandoned,
    checkOwner: (owner, file) => checkOwner(owner, file, self),
    openSocket: async (file) => (needsLivenessSocket() ? openLivenessSocket(file) : undefined),
    removeStaleSockets,
  }
}
