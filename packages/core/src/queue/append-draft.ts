import type { AppendOptions, Backend, Expected } from '../backend/backend.ts'
import type { EventRecord } from '../backend/event-record.ts'
import { isObserved, observe } from '../diagnostics/observe.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import type { Json } from '../json/json.ts'
import type { Draft } from '../plan/draft.ts'
import { projectionOf } from '../view/projection.ts'

/** A draft on its way into the log. */
export interface DraftAppend<M> {
  readonly backend: Backend
  readonly session: string
  readonly expectedLast: number
  readonly draft: Draft<M>
}

/** Not async, because every message comes this way: the backend's own promise is what is waited for. */
export function offer<M>(append: DraftAppend<M>): Promise<void> {
  if (!isObserved('turnlog:append')) return write(append)
  const { backend, session, draft } = append
  const { events } = draft
  const sizes = () => ({ events: events.length, bytes: JSON.stringify(events).length })
  return observe('turnlog:append', { backend: backend.name, session }, () => write(append), sizes)
}

function write<M>(append: DraftAppend<M>): Promise<void> {
  const { events, trimBefore, state } = append.draft
  const options: AppendOptions | undefined = trimBefore === undefined ? undefined : { trimBefore }
  const projection = projectionOf(state) as unknown as Json
  return append.backend.append(append.session, expectedBy(append), events, projection, options)
}

function expectedBy<M>({ expectedLast, draft }: DraftAppend<M>): Expected {
  return { last: expectedLast, incarnation: draft.state.incarnation }
}

/**
 * What became of it when the offer failed. An I/O error leaves open whether it was written, so the same events are
 * offered once more against the same head: either that succeeds, or the log says whose events stand there.
 *
 * @returns `conflict` if somebody else wrote first
 * @throws `OUTCOME_UNKNOWN` if what stands there was trimmed before it could be compared
 */
export async function outcomeAfter<M>(error: unknown, append: DraftAppend<M>): Promise<'written' | 'conflict'> {
  if (isStoreError(error, 'CONFLICT')) return 'conflict'
  if (!isOutcomeUnknown(error)) throw error
  try {
    await offer(append)
    return 'written'
  } catch (again) {
    if (!isOutcomeUnknown(again) && !isStoreError(again, 'CONFLICT')) throw again
    return compareWithLog(append.backend, append.session, expectedBy(append), append.draft.events, again)
  }
}

/** Anything that is not a refusal: the backend tried, and something went wrong on the way. */
function isOutcomeUnknown(error: unknown): boolean {
  return !isStoreError(error) || error.code === 'IO' || error.code === 'OUTCOME_UNKNOWN'
}

async function compareWithLog(
  backend: Backend,
  session: string,
  expected: Expected,
  events: readonly EventRecord[],
  failure: unknown,
): Promise<'written' | 'conflict'> {
  const head = await backend.head(session).catch(() => undefined) // the write error says more than a failing head
  const moved = head !== undefined && (head.incarnation !== expected.incarnation || head.last !== expected.last)
  if (!moved) throw asIoError(session, failure)
  if (head.incarnation !== expected.incarnation) return 'conflict'
  // The last one: an append is there as a whole, but it may have trimmed its own beginning.
  const { seq, id } = events.at(-1) as EventRecord
  if (head.last < seq) return 'conflict'
  for await (const [record] of backend.read(session, [{ from: seq, to: seq }])) {
    return record?.id === id ? 'written' : 'conflict'
  }
  throw new StoreError(
    'OUTCOME_UNKNOWN',
    `It is unknown whether the last write to session ${JSON.stringify(session)} was recorded: it failed, and its place in the log was trimmed meanwhile. Load the session and look.`,
    { session, cause: failure },
  )
}

function asIoError(session: string, failure: unknown): unknown {
  if (isStoreError(failure) && failure.code !== 'CONFLICT') return failure
  return new StoreError(
    'IO',
    `Writing to session ${JSON.stringify(session)} failed; see cause. It is not acknowledged; a retry with the same operationId cannot write it twice.`,
    { session, cause: failure },
  )
}
