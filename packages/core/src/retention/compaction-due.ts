import type { Head } from '../backend/backend.ts'
import type { Projection } from '../view/projection.ts'
import type { AutoCompactPolicy } from './policies.ts'
import { deadBytes } from '../view/dead-bytes.ts'

/** The least that a compaction writes; what it has to restate comes on top, and is weighed when it is planned. */
const WRITTEN_BYTES = 1024

/** Less than this is left to the backend's own habits. */
const RECLAIM_BYTES = 64 * 1024

export interface CompactionRules {
  /** `undefined`: what is dead may go at once, but only where `autoCompact` says that it is worth it. */
  readonly removedEventsForMs: number | 'forever' | undefined
  readonly autoCompact: AutoCompactPolicy | undefined
  /** The time, if it can be believed. */
  readonly now: number | undefined
}

/** One of the two halves of a compaction, or both at once. */
export interface DueCompaction {
  readonly step: 'compact' | 'checkpoint' | 'trim'
  readonly reason: 'retention' | 'autoCompact'
  readonly eventBytes: number
  readonly mustPay: true
  /** So much of the session goes that its storage is better rewritten now than when the backend comes to it. */
  readonly isLarge: boolean
}

/**
 * Whether a session should be compacted, judged by its head alone.
 *
 * Where the past is kept for a while, compaction has two halves: a checkpoint after which no version needs what lies
 * before it, and, when the checkpoint itself is as old as the past that is wanted, the removal of what lies before. So
 * the only time that has to be known is that of the checkpoint.
 */
export function compactionDue(head: Head, projection: Projection, rules: CompactionRules): DueCompaction | undefined {
  const { removedEventsForMs, autoCompact, now } = rules
  if (removedEventsForMs === 'forever' || (removedEventsForMs === undefined && autoCompact === undefined))
    return undefined
  const keptMs = removedEventsForMs ?? 0
  const dead = deadBytes(head, projection)
  const eventBytes = dead / Math.max(1, head.last - head.first + 1 - projection.messages)
  const reason = autoCompact === undefined ? 'retention' : 'autoCompact'
  const isLarge = isLargeRemoval(dead, head.bytes)
  const due = { reason, eventBytes, mustPay: true, isLarge } as const
  const { checkpoint } = projection
  if (keptMs > 0) {
    if (now === undefined) return undefined
    // A checkpoint from the future was made by a clock that was wrong, so its age will never be known.
    if (checkpoint !== undefined && checkpoint.at <= now) {
      return now - checkpoint.at < keptMs ? undefined : { step: 'trim', ...due }
    }
  }
  if (autoCompact !== undefined && (dead < autoCompact.minBytes || dead < autoCompact.deadRatio * head.bytes)) {
    return undefined
  }
  return dead <= WRITTEN_BYTES ? undefined : { step: keptMs > 0 ? 'checkpoint' : 'compact', ...due }
}

/** Whether what is removed is worth a rewrite of what stays. */
export function isLargeRemoval(removedBytes: number, allBytes: number): boolean {
  return removedBytes >= RECLAIM_BYTES && removedBytes >= allBytes / 2
}
