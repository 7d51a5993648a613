import { StoreError } from '../errors/store-error.ts'
import type { AppendOptions, Expected, Head } from './backend.ts'
import type { EventRecord } from './event-record.ts'

/** Where a session begins and ends after an append. */
export interface AppendPlan {
  readonly first: number
  readonly last: number
}

/**
 * The compare half of compare-and-append, the same for every backend: checks an append against the head it found and
 * says what the bounds will be. Call it inside the same critical section or transaction as the write.
 *
 * @throws `CONFLICT`, `INVALID_ARGUMENT`
 */
export function planAppend(
  session: string,
  head: Pick<Head, 'first' | 'last' | 'incarnation'> | undefined,
  expected: Expected,
  events: readonly EventRecord[],
  options: AppendOptions = {},
): AppendPlan {
  const actual = head?.last ?? 0
  const sameLife = head === undefined || head.incarnation === expected.incarnation
  if (actual !== expected.last || !sameLife) {
    throw new StoreError(
      'CONFLICT',
      sameLife
        ? `Cannot append to session ${quote(session)}: expected version ${expected.last}, found ${actual}. Read again and retry.`
        : `Cannot append to session ${quote(session)}: it was erased and made anew, and is now at version ${actual}. Read again and retry.`,
      { session, expected: expected.last, actual },
    )
  }
  const [firstEvent] = events
  if (firstEvent === undefined) throw invalid(session, 'there are no events')
  const start = options.import === true ? firstEvent.seq : expected.last + 1
  if (options.import === true && expected.last !== 0)
    throw invalid(session, 'an import needs a session that does not exist')
  if (!Number.isSafeInteger(start) || start < 1) throw invalid(session, `the first seq is ${start}`)
  for (let index = 0; index < events.length; index++) {
    const seq = events[index]?.seq
    if (seq !== start + index) throw invalid(session, `event ${index} has seq ${seq}, not ${start + index}`)
  }
  const last = start + (events.length - 1) // in this order: an event too many must not be rounded away
  if (!Number.isSafeInteger(last)) throw invalid(session, `the last seq is ${last}, and there are no numbers behind it`)
  const { trimBefore } = options
  if (trimBefore !== undefined && (!Number.isSafeInteger(trimBefore) || trimBefore < 1 || trimBefore > last + 1)) {
    throw invalid(session, `trimBefore is ${trimBefore}, but the session ends at ${last}`)
  }
  const first = head?.first ?? start
  return { first: Math.max(first, trimBefore ?? first), last }
}

function invalid(session: string, what: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `Cannot append to session ${quote(session)}: ${what}.`, { session })
}

function quote(session: string): string {
  return JSON.stringify(session)
}
