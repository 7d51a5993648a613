import { StoreError } from '@turnlog/core/backend'
import type { Backend, EventRecord, Head, SessionHead } from '@turnlog/core/backend'

/** A session that is to be written somewhere: its head, and its events as often as they are asked for. */
export interface SessionLog {
  readonly head: SessionHead
  /**
   * Every event from `from` to the head's last, in order.
   *
   * @throws {@link LogMoved} if the session was trimmed or erased meanwhile, so that the head is not true any more
   * @throws `CORRUPT` if an event is missing
   */
  read(from: number, signal?: AbortSignal): AsyncIterable<EventRecord>
}

/** Ask for the head and begin again. Nothing that callers see. */
export class LogMoved extends Error {}

/** A session as it is in a backend now. */
export function backendLog(backend: Backend, head: SessionHead): SessionLog {
  return { head, read: (from, signal) => readWhole(backend, head, from, signal) }
}

async function* readWhole(
  backend: Backend,
  head: SessionHead,
  from: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventRecord> {
  let next = from
  if (next > head.last) return
  const { session } = head
  const options = signal === undefined ? {} : { signal }
  for await (const batch of backend.read(session, [{ from, to: head.last }], options)) {
    for (const event of batch) {
      if (event.seq !== next) throw await missing(backend, head, next)
      next++
      yield event
    }
  }
  if (next <= head.last) throw await missing(backend, head, next)
}

async function missing(backend: Backend, head: SessionHead, seq: number): Promise<Error> {
  const { session } = head
  const now: Head | undefined = await backend.head(session)
  if (now === undefined || now.incarnation !== head.incarnation || now.first > seq) return new LogMoved()
  return new StoreError(
    'CORRUPT',
    `Event ${seq} of session ${JSON.stringify(session)} is missing, although the session has events ${now.first} to ${now.last}. Run verify, and restore from a backup or repair.`,
    { session, seq },
  )
}
