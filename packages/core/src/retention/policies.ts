import type { WithPrefixes } from '../limits/prefix-rules.ts'

export interface ExpireRules {
  /**
   * Sessions without an event for so long are deleted by the sweeper: history, summary and metadata, for good. One
   * `SessionDeleted` event stays as a trace. Compaction does not count as use.
   * @default 'never'
   */
  readonly idleForMs?: number | 'never'
  /**
   * How long the trace of a deleted session stays, whoever deleted it; then the sweeper erases the last of it.
   * @default 30 days
   */
  readonly tracesForMs?: number | 'forever'
}

/** Deletes sessions that nobody uses any more. */
export type ExpirePolicy = WithPrefixes<ExpireRules>

export interface RetentionRules {
  /**
   * How long events that left the view (cut, replaced or superseded ones, and notes) stay for `restore`, `getHistory({
   * at })` and `events`. After at least this long, and at most about twice as long, the sweeper removes them for good.
   * 0 removes them at the next sweep; `'forever'` keeps them also from `autoCompact`. Costs the space of what is kept,
   * and one small append for each session with something to remove.
   */
  readonly removedEventsForMs: number | 'forever'
}

/** Removes what has left the view, after a while. */
export type RetentionPolicy = WithPrefixes<RetentionRules>

/**
 * Removes what has left the view, where it is worth it. Without `retention` it goes as soon as both limits are reached;
 * with it, only what `retention` does not protect any more.
 */
export interface AutoCompactPolicy {
  /** The share of a session's bytes that must be dead, from 0 to 1. Lower keeps the store smaller and copies more. */
  readonly deadRatio: number
  /** The fewest dead bytes that are worth it. Lower keeps the store smaller and writes more. */
  readonly minBytes: number
}

/** When the sweeper runs by itself. */
export interface SweepSchedule {
  /**
   * From the end of one sweep to the next, and the least between the two sweeps that have to find a session idle before
   * it expires. A sweep reads the head of every session.
   * @default 10 minutes
   */
  readonly intervalMs?: number
  /** Lengthens each interval by a random share of it, up to this one, so that many stores do not sweep in step. @default 0.1 */
  readonly jitter?: number
}

/** What may be removed, and when. */
export interface RetentionSettings {
  /** Delete sessions that nobody uses any more. @default nothing expires */
  readonly expire?: ExpirePolicy
  /** Remove events that left the view, after a while. @default they stay until `compact` */
  readonly retention?: RetentionPolicy
  /** Remove events that left the view, where they are many. @default they stay until `compact` */
  readonly autoCompact?: AutoCompactPolicy
  /**
   * When the sweeper runs, which carries out `expire`, `retention` and `autoCompact`; without any of them it does not
   * run. `'manual'`: only when `store.sweep()` is called.
   * @default every 10 minutes
   */
  readonly sweep?: SweepSchedule | 'manual'
}
