import { runsOf } from '../events/run.ts'
import type { Json } from '../json/json.ts'
import type { SessionState, StoredMessage } from '../view/session-state.ts'
import type { Draft } from './draft.ts'
import { viewMessages } from './view-messages.ts'

export interface CompactRequest {
  /** Events from this seq on stay, whatever they are worth. @default none */
  readonly keepFrom?: number
  /** Roughly what one stored event takes, to weigh what is freed against what is copied. */
  readonly eventBytes: number
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
  if (state.last === 0 || state.deleted) return 0
  const { start, stragglers } = chooseStart(state, request)
  const removedEvents = start - state.first
  if (removedEvents <= 0) return 0

  const restated = {
    summary: state.summary,
    metadata: state.metadata,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    cutSeq: state.cutSeq,
    ops: state.ops,
  }
  const moving = new Set(stragglers)
  const entries = viewMessages(state).map((entry) => (moving.has(entry.position) ? draft.moveMessage(entry) : entry))
  // What the runs so far took in the log is removed with it, so counting begins anew.
  draft.replaceView(runsOf(entries), true)
  draft.add('Compacted', {
    ...(restated as unknown as Record<string, Json>),
    removedEvents,
    ...(request.reason === undefined ? undefined : { reason: request.reason }),
  })
  draft.trim(start)
  return removedEvents
}

interface Start {
  /** First seq that stays. */
  readonly start: number
  /** Positions of live messages before it. */
  readonly stragglers: readonly number[]
}

/**
 * The start that frees the most: every run of live messages may begin the new log, at the price of copying the live
 * messages before it. So one old system prompt does not keep a million dead events.
 */
function chooseStart<M>(state: SessionState<M>, { keepFrom = Infinity, eventBytes }: CompactRequest): Start {
  const live: StoredMessage<M>[] = viewMessages(state).sort((a, b) => a.position - b.position)
  const end = Math.min(state.last + 1, keepFrom)
  let best: Start = { start: state.first, stragglers: [] }
  let bestGain = 0
  let copied = 0
  for (let i = 0; i <= live.length; i++) {
    const start = Math.min(live[i]?.position ?? end, end)
    const dead = start - state.first - i
    const gain = dead * eventBytes - copied
    if (gain > bestGain) {
      bestGain = gain
      best = { start, stragglers: live.slice(0, i).map(({ position }) => position) }
    }
    if (start >= end) break
    copied += live[i]?.bytes ?? 0
  }
  return best
}
