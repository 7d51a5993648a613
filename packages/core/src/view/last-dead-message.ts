import type { Range } from '../backend/backend.ts'
import { upcast } from '../events/upcast.ts'
import type { EventSource } from './read-events.ts'
import type { SessionState } from './session-state.ts'

/**
 * Seq of the last message in the log that is not in the view, 0 if there is none. Reads backwards, and only where such
 * a message may be: between live messages of which it is not known that they were recorded one after the other.
 */
export async function lastDeadMessage<M>(
  { backend, schema }: EventSource,
  session: string,
  state: SessionState<M>,
): Promise<number> {
  const gaps = gapsOf(state)
  if (gaps.length === 0) return 0
  for await (const batch of backend.read(session, gaps, { reverse: true })) {
    for (const record of batch) {
      const { type, seq } = upcast<M>(session, record, schema)
      if (type === 'MessageAdded' || type === 'MessageStored') return seq
    }
  }
  return 0
}

/** Every message that was recorded after the view event is live, so only what lies before it is in doubt. */
function gapsOf({ first, viewSeq, entries, length }: SessionState<unknown>): Range[] {
  const live = Array.from({ length }, (_, index) => entries.at(index))
    .filter(({ position }) => position < viewSeq)
    .sort((a, b) => a.position - b.position)
  const gaps: Range[] = []
  let last = first - 1
  for (const { position, previous } of live) {
    if (position > last + 1 && previous !== last) gaps.push({ from: last + 1, to: position - 1 })
    last = position
  }
  if (viewSeq > last + 1) gaps.push({ from: last + 1, to: viewSeq - 1 })
  return gaps
}
