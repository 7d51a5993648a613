import type { WithPrefixes } from './prefix-rules.ts'

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
