import type { SessionStore } from 'turnlog'
import type { DemoMessage } from './conversation.ts'
import { KEY } from './conversation.ts'

/** Where the last summary is in the log. */
export interface LastSummary {
  /** The version before summary and cut, which are one append. */
  readonly before: number
  readonly after: number
  /** The version that the summariser had read. */
  readonly madeFrom: number
}

export async function findLastSummary(store: SessionStore<DemoMessage>): Promise<LastSummary> {
  let last: LastSummary = { before: 0, after: 0, madeFrom: 0 }
  for await (const event of store.events(KEY)) {
    if (event.type !== 'Truncated' || !('through' in event.asked)) continue
    last = { before: event.seq - 2, after: event.seq, madeFrom: event.asked.version }
  }
  return last
}

/** Of the messages that were acknowledged, how many are in the log. */
export async function countRecorded(
  store: SessionStore<DemoMessage>,
  acknowledged: readonly number[],
): Promise<{ found: number; more: number }> {
  const recorded = new Set<number>()
  for await (const event of store.events(KEY)) if (event.type === 'MessageAdded') recorded.add(event.message.n)
  const found = acknowledged.filter((n) => recorded.has(n)).length
  return { found, more: recorded.size - found }
}
