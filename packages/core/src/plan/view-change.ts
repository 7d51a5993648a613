import type { EventRecord } from '../backend/event-record.ts'
import type { Position } from '../events/run.ts'
import { sameJson } from '../normalise/same-json.ts'
import type { SessionState } from '../view/session-state.ts'

/** A part of a history. */
export interface HistorySize {
  readonly messages: number
  /** About the length of its JSON text. */
  readonly bytes: number
}

/** How much of the history before a write is still the beginning of the one after it: what a prompt cache still has. */
export interface PrefixChange {
  readonly kept: HistorySize
  readonly lost: HistorySize
}

/** What an operation did to the view; both are absent if it did nothing to it. */
export interface ViewChange {
  /** Where the added messages are, in their order. */
  readonly positions?: Position[]
  readonly prefix?: PrefixChange
}

/** The view before an operation. A state never changes what its arrays have up to its length. */
export type ViewBefore = Pick<SessionState<unknown>, 'messages' | 'length' | 'bytes' | 'entries'>

const NOTHING: HistorySize = Object.freeze({ messages: 0, bytes: 0 })

/** @param events those of the operation */
export function viewChange(
  before: ViewBefore,
  after: SessionState<unknown>,
  events: readonly EventRecord[],
  from: number,
): ViewChange {
  const positions: Position[] = []
  let isReplaced = false
  for (let index = from; index < events.length; index++) {
    const event = events[index] as EventRecord
    if ('message' in event && event['of'] === undefined) positions.push(event.seq)
    else if ('view' in event) isReplaced = true
  }
  if (isReplaced) {
    const prefix = commonPrefix(before, after)
    return positions.length === 0 ? { prefix } : { positions, prefix }
  }
  if (positions.length === 0) return {}
  return { positions, prefix: { kept: { messages: before.length, bytes: before.bytes }, lost: NOTHING } }
}

function commonPrefix(before: ViewBefore, after: SessionState<unknown>): PrefixChange {
  const most = Math.min(before.length, after.length)
  let messages = 0
  let bytes = 0
  // A message that was stored anew is the same object, so this seldom compares texts.
  while (messages < most && sameJson(before.messages[messages], after.messages[messages])) {
    bytes += before.entries.bytes(messages)
    messages++
  }
  return {
    kept: { messages, bytes },
    lost: { messages: before.length - messages, bytes: before.bytes - bytes },
  }
}
