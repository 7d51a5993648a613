import { planAppend } from '@turnlog/core/backend'
import type { AppendOptions, EventRecord, Expected, Json } from '@turnlog/core/backend'

import type { EventRow } from '../format/event-row.ts'
import type { Change } from './group-commit.ts'
import { encodePayload } from '../format/payload-codec.ts'
import { HEADER_BYTES } from '../format/row-value.ts'
import { SEGMENT_EVENTS } from '../format/segment.ts'
import { fillsNone, isLarge, planSeals, planSingles } from './seal-plan.ts'
import type { CachedSession } from '../cache/cached-session.ts'
import { rowsOf, tailOf } from '../format/tail.ts'
import type { Tail } from '../format/tail.ts'

export interface PlannedAppend {
  readonly change: Change
  /** If it is worth keeping. */
  readonly tail: Tail | undefined
}

/** Whether the tail is full with these events, or ends before a large one, but is not in memory to be sealed. */
export function needsTail(state: CachedSession, added: readonly EventRow[]): boolean {
  const { tip, tail } = state
  if (tail !== undefined || tip === undefined) return false
  return tip.last - tip.sealed + added.length >= SEGMENT_EVENTS || added.some(isLarge)
}

/** Encoding takes a few microseconds each, and ten times that before V8 has compiled it. */
export const EVENTS_AT_ONCE = 200

/**
 * Compares an append with the tip and says what it writes. Changes nothing. `encoded` are the events.
 *
 * @throws `CONFLICT`, `INVALID_ARGUMENT`
 */
export function planChange(
  state: CachedSession,
  expected: Expected,
  events: readonly EventRecord[],
  encoded: readonly EventRow[],
  projection: Json,
  options: AppendOptions | undefined,
): PlannedAppend {
  const { session, keys, tip } = state
  const { first, last } = planAppend(session, tip, expected, events, options)
  const start = events[0]?.seq ?? 0
  const rows = first > start ? encoded.filter(({ seq }) => seq >= first) : encoded
  // What lies before the logical start is never sealed: the trimmer deletes those rows, one by one.
  const sealed = Math.max(tip?.sealed ?? start - 1, Math.min(first - 1, last))
  const tail = tailBehind(state, sealed)
  const kept = state.fillsSegments ? tail : undefined
  const plan =
    tail === undefined || fillsNone(tail, rows)
      ? planSingles(keys, sealed, kept, rows)
      : planSeals(keys, sealed, tail, rows)
  const { value, json } = encodePayload(projection)
  const bytes = tip === undefined ? 0 : keptBytes(tip.bytes, tip.first, tip.last, first)
  return {
    change: {
      state,
      puts: plan.puts,
      segments: plan.segments,
      deletes: plan.deletes,
      sessions: tip === undefined ? 1 : 0,
      bytes: plan.bytes + value.length,
      after: {
        first,
        last,
        sealed: plan.sealed,
        trimmed: tip?.trimmed ?? start,
        bytes: bytes + plan.bytes,
        incarnation: expected.incarnation,
        projection: value.toString('latin1', HEADER_BYTES),
        json,
      },
    },
    tail: state.fillsSegments || plan.sealed > sealed ? plan.tail : undefined,
  }
}

/** All of it, except that a trim may have overtaken the first rows. */
function tailBehind({ tail, tip }: CachedSession, sealed: number): Tail | undefined {
  if (tail === undefined || tip === undefined || sealed === tip.sealed) return tail
  return tailOf(rowsOf(tail, tip.sealed + 1).filter((row) => row.seq > sealed))
}

/** An estimate: the size of each event is not kept. */
function keptBytes(bytes: number, oldFirst: number, last: number, first: number): number {
  if (first > last) return 0
  return first === oldFirst ? bytes : Math.ceil((bytes * (last - first + 1)) / (last - oldFirst + 1))
}
