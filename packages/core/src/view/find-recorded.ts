import type { Head } from '../backend/backend.ts'
import type { SessionEvent } from '../events/session-event.ts'
import { fingerprint } from '../normalise/fingerprint.ts'
import { recordEvent } from './fold.ts'
import type { EventSource } from './read-events.ts'
import { visitEvents } from './read-events.ts'
import type { SessionState, StoredMessage } from './session-state.ts'
import { emptyState } from './session-state.ts'

/**
 * Messages of the log that probably are one of those that are asked for, in the order of their positions: told by their
 * fingerprint alone. Reads the whole log; none if it is trimmed meanwhile.
 */
export async function findRecorded<M>(
  source: EventSource,
  session: string,
  present: SessionState<M>,
  wanted: readonly M[],
): Promise<readonly StoredMessage<M>[]> {
  const prints = new Set(wanted.map((message) => fingerprint(message)))
  const head: Head = { ...present, bytes: 0, projection: null }
  const scan = emptyState<M>(head)
  const visit = (event: SessionEvent<M>): void => {
    const { length } = scan.stored
    recordEvent(scan, event)
    const last = scan.stored.at(-1)
    if (scan.stored.length > length && !prints.has(fingerprint(last?.message))) scan.stored.pop()
  }
  const isWhole = await visitEvents<M>(source, session, head, [{ from: present.first, to: present.last }], visit)
  return isWhole ? scan.stored : []
}
