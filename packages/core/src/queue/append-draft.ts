import type { AppendOptions, Backend, Expected } from '../backend/backend.ts'
import type { EventRecord } from '../backend/event-record.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import type { Json } from '../json/json.ts'
import type { Draft } from '../plan/draft.ts'
import { projectionOf } from '../view/projection.ts'

/**
 * Writes a draft. An I/O error leaves open whether it was written, so the same events are offered once more against
 * the same head: either that succeeds, or the log says whose events stand there.
 *
 * @returns `conflict` if somebody else wrote first
 * @throws `OUTCOME_UNKNOWN` if what stands there was trimmed before it could be compared
 */
export async function appendDraft<M>(
  backend: Backend,
  session: string,
  expectedLast: number,
  draft: Draft<M>,
): Promise<'written' | 'conflict'> {
  const expected: Expected = { last: expectedLast, incarnation: draft.state.incarnation }
  const options: AppendOptions | undefined =
    draft.trimBefore === undefined ? undefined : { trimBefore: draft.trimBefore }
  const projection = projectionOf(draft.state) as unknown as Json
  try {
    await backend.append(session, expected, draft.events, projection, options)
    return 'written'
  } catch (error) {
    if (isStoreError(error, 'CONFLICT')) return 'conflict'
    if (!isOutcomeUnknown(error)) throw error
  }
  try {
    await backend.append(session, expected, draft.events, projection, options)
    return 'written'
  } catch (error) {
    if (!isOutcomeUnknown(error) && !isStoreError(error, 'CONFLICT')) throw error
    return compareWithLog(backend, session, expected, draft.events, error)
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
  const [first] = events
  for await (const [record] of backend.read(session, [{ from: expected.last + 1, to: expected.last + 1 }])) {
    return record?.id === first?.id ? 'written' : 'conflict'
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
