import type { HeadRow } from '../format/head-row.ts'
import { SessionKeys } from '../format/row-keys.ts'
import { emptyTail } from '../format/tail.ts'
import type { Tail } from '../format/tail.ts'

/**
 * What is known of one session. The backend is the only writer, so this is the truth and appends need no read.
 *
 * Invariant: `settled` is what is on disk and acknowledged, `tip` is `settled` plus every append that waits in the
 * queue, in order. Readers are told `settled`; appends are compared with `tip`.
 */
export class CachedSession {
  readonly session: string
  readonly keys: SessionKeys
  settled: HeadRow | undefined
  tip: HeadRow | undefined
  /** Appends in the queue. */
  pending = 0
  /** Background work that must find this very object when it goes on. */
  pins = 0
  /** The rows behind `tip.sealed`, if they are in memory. Always all of them or `undefined`. */
  tail: Tail | undefined
  /**
   * It has filled a segment since it came into memory, and is likely to fill another, so its tail is worth keeping. Most
   * sessions never do, and rows that are kept for nothing die old: 43 MB of them waited for a full garbage collection.
   */
  fillsSegments = false
  /** While it is being erased; everybody waits for it. */
  erasing: Promise<void> | undefined
  /** Resolves when the last queued append has settled, either way. */
  idle: Promise<void> | undefined
  wakeIdle: (() => void) | undefined

  constructor(session: string, settled: HeadRow | undefined) {
    this.session = session
    this.keys = new SessionKeys(session)
    this.settled = settled
    this.rollBack()
  }

  /** Forgets what was planned and not written. */
  rollBack(): void {
    const { settled } = this
    this.tip = settled
    this.tail = settled === undefined || settled.sealed === settled.last ? emptyTail() : undefined
  }

  get isBusy(): boolean {
    return this.pending > 0 || this.pins > 0 || this.erasing !== undefined
  }

  /** Resolves when no append of this session is in the queue. */
  whenIdle(): Promise<void> {
    if (this.pending === 0) return Promise.resolve()
    this.idle ??= new Promise((resolve) => {
      this.wakeIdle = resolve
    })
    return this.idle
  }

  /** An append of this session has left the queue. */
  leave(): void {
    this.pending--
    if (this.pending > 0) return
    this.wakeIdle?.()
    this.idle = undefined
    this.wakeIdle = undefined
  }
}
