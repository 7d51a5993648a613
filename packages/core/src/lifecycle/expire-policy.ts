import type { WithPrefixes } from './prefix-rules.ts'

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
