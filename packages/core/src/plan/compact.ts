import { runsOf } from '../events/run.ts'
import type { Json } from '../json/json.ts'
import type { SessionState, StoredMessage } from '../view/session-state.ts'
import { restatedOf } from '../view/state-fields.ts'
import type { Draft } from './draft.ts'
import { viewMessages } from './view-messages.ts'

export interface CompactRequest {
  /** Roughly what one event takes that could go, to weigh what is freed against what is copied. */
  readonly eventBytes: number
  /** Only if more is freed than has to be written for it. @default false: every dead message goes, whatever it takes */
  readonly mustPay?: boolean
  /** Seq of the last message that is not in the view, if it has to go. @default 0: there is none */
  readonly deadThrough?: number
  readonly reason?: string
}

/**
 * Removes a prefix of the log. What is still needed from it is restated in the same append: live messages in front of
 * the new start are recorded once more, and `Compacted` carries summary, metadata, times and operation ids.
 *
 * @returns how many events go
 */
export function planCompact<M extends object>(draft: Draft<M>, request: CompactRequest): number {
  const { state } = draft
  const { start, stragglers } = chooseStart(state, request)
  const removedEvents = start - state.first
  if (removedEvents <= 0) return 0
  const recordedBytes = recordedAfter(state, start)
  restate(draft, { stragglers, reason: request.reason }, () => ({ removedEvents, recordedBytes }))
  draft.trim(start)
  return removedEvents
}

/**
 * The last message that is not in the view now, from what was so before this append: earlier operations in it may have
 * cut more.
 */
export function deadThrough<M>(draft: Draft<M>, settled: SessionState<M>, deadBefore: number): number {
  if (draft.events.length === 0) return deadBefore
  const live = new Set(viewMessages(draft.state).map(({ position }) => position))
  const known = viewMessages(settled).map(({ position }) => position)
  for (const event of draft.events) if ('message' in event) known.push(event.seq)
  return known.reduce((last, position) => (live.has(position) ? last : Math.max(last, position)), deadBefore)
}

/**
 * The first half of a compaction for sessions whose past is still wanted: everything needed is restated as in
 * {@link planCompact}, but nothing is removed. Every later version can do without what lies before the start, so when
 * the last version from before the checkpoint is of no interest any more, {@link planTrim} removes that.
 *
 * @returns whether there was anything to prepare
 */
export function planCheckpoint<M extends object>(draft: Draft<M>, request: CompactRequest): boolean {
  const { state } = draft
  const { minVersion } = state
  const { start, stragglers } = chooseStart(state, request)
  if (start <= state.first) return false
  restate(draft, { stragglers, reason: request.reason }, () => ({
    removedEvents: 0,
    recordedBytes: state.recordedBytes,
    minVersion,
    start,
  }))
  return true
}

/** Removes what lies before the start of the checkpoint. @returns how many events go */
export function planTrim<M extends object>(draft: Draft<M>, reason: string): number {
  const { state } = draft
  const { checkpoint } = state
  if (checkpoint === undefined || state.deleted) return 0
  const removedEvents = checkpoint.start - state.first
  const recordedBytes = recordedAfter(state, checkpoint.start)
  draft.add('Compacted', { ...restated(state), removedEvents, recordedBytes, minVersion: checkpoint.seq, reason })
  draft.trim(checkpoint.start)
  return removedEvents
}

function restate<M extends object>(
  draft: Draft<M>,
  { stragglers, reason }: { readonly stragglers: readonly number[]; readonly reason: string | undefined },
  counts: () => Record<string, Json>,
): void {
  const { state } = draft
  const before = restated(state)
  const moving = new Set(stragglers)
  const entries = viewMessages(state).map((entry) => (moving.has(entry.position) ? draft.moveMessage(entry) : entry))
  // What the runs so far took in the log is removed with it, so counting begins anew.
  draft.replaceView(runsOf(entries), true)
  draft.add('Compacted', { ...before, ...counts(), ...(reason === undefined ? undefined : { reason }) })
}

function restated(state: SessionState<unknown>): { [field: string]: Json } {
  const { usage, ...rest } = restatedOf(state)
  return { ...rest, ...(usage === undefined ? undefined : { usage }) } as unknown as { [field: string]: Json }
}

/**
 * What the recorded messages from `start` on take. Dead ones are not known one by one, so they count as equally large.
 */
function recordedAfter(
  { first, last, length, entries, bytes, recordedBytes }: SessionState<unknown>,
  start: number,
): number {
  let liveAfter = 0
  for (let i = 0; i < length; i++) if (entries.position(i) >= start) liveAfter++
  const dead = last - first + 1 - length
  const deadAfter = last - start + 1 - liveAfter
  return Math.round(bytes + (dead <= 0 ? 0 : ((recordedBytes - bytes) * deadAfter) / dead))
}

/** What a compaction writes beside the messages that it copies, with the envelopes of two events and a projection. */
function restatedBytes(state: SessionState<unknown>): number {
  return 1024 + new TextEncoder().encode(JSON.stringify(restated(state))).length
}

interface Start {
  /** First seq that stays. */
  readonly start: number
  /** Positions of live messages before it. */
  readonly stragglers: readonly number[]
}

/** What a compaction adds to the log at least: a view event and `Compacted`. */
const OWN_EVENTS = 2

/**
 * The start that frees the most: every run of live messages may begin the new log, at the price of copying the live
 * messages before it. So one old system prompt does not keep a million dead events.
 *
 * A start that would leave a dead message is none. Where there is no such message, what goes has to be worth more than
 * the events that a compaction writes itself: otherwise each would find those of the one before it, and so for ever.
 */
function chooseStart<M>(state: SessionState<M>, request: CompactRequest): Start {
  const { eventBytes, mustPay = false, deadThrough: dead = 0 } = request
  let best: Start = { start: state.first, stragglers: [] }
  if (state.last === 0 || state.deleted) return best
  const live: StoredMessage<M>[] = viewMessages(state).sort((a, b) => a.position - b.position)
  const end = state.last + 1
  let bestGain = mustPay ? restatedBytes(state) : dead >= state.first ? -Infinity : OWN_EVENTS * eventBytes
  let copied = 0
  for (let i = 0; i <= live.length; i++) {
    const start = live[i]?.position ?? end
    const gain = (start - state.first - i) * eventBytes - copied
    if (start > dead && gain > bestGain) {
      bestGain = gain
      best = { start, stragglers: live.slice(0, i).map(({ position }) => position) }
    }
    copied += live[i]?.bytes ?? 0
  }
  return best
}
