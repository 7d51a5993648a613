import { StoreError } from '../errors/store-error.ts'
import type { SessionEvent } from '../events/session-event.ts'
import { upcast } from '../events/upcast.ts'
import { freezeAndMeasure } from '../normalise/freeze.ts'
import type { Head } from '../backend/backend.ts'
import type { EventSource } from '../view/read-events.ts'
import { explainGap } from '../view/read-events.ts'
import { checkFlag, checkWholeNumber } from '../errors/check-arguments.ts'
import type { EventRange } from './session-store.ts'

/**
 * The events of a session as they stand in the log, each of them: a gap, also at the end, is an error.
 *
 * @throws `TRIMMED` if `from` was compacted away, or what comes next before it was read
 * @throws `CORRUPT` if an event is missing that must be there
 */
export async function* readLog<M>(
  source: EventSource,
  session: string,
  { from, to, reverse = false, limit }: EventRange,
): AsyncGenerator<SessionEvent<M>> {
  if (from !== undefined) checkWholeNumber('from', from)
  if (to !== undefined) checkWholeNumber('to', to)
  if (limit !== undefined) checkWholeNumber('limit', limit)
  checkFlag('reverse', reverse)
  const head = await source.backend.head(session)
  if (head === undefined) return
  if (from !== undefined && from > 0 && from < head.first) throw trimmed(session, from, head.first)
  const range = {
    from: from === undefined || from === 0 ? head.first : from,
    to: Math.min(to ?? head.last, head.last),
  }
  if (range.from > range.to || limit === 0) return
  let left = Math.min(range.to - range.from + 1, limit ?? Infinity)
  let expected = reverse ? range.to : range.from
  for await (const batch of source.backend.read(session, [range], {
    reverse,
    ...(limit === undefined ? undefined : { limit }),
  })) {
    for (const record of batch) {
      if (record.seq !== expected) throw await gone(source, session, head, expected)
      expected += reverse ? -1 : 1
      left--
      freezeAndMeasure(record)
      yield upcast<M>(session, record, source.schema)
    }
  }
  if (left > 0) throw await gone(source, session, head, expected)
}

/** Why an event that was there is not any more. @throws `CORRUPT` if it should be */
async function gone(source: EventSource, session: string, head: Head, seq: number): Promise<StoreError> {
  const now = await explainGap(source, session, head, seq)
  if (now?.incarnation === head.incarnation && now.first > seq) return trimmed(session, seq, now.first)
  return new StoreError(
    now?.incarnation === head.incarnation ? 'IO' : 'TRIMMED',
    `Event ${seq} of session ${JSON.stringify(session)} was removed with what came after it while it was read. Read again.`,
    { session, seq },
  )
}

function trimmed(session: string, seq: number, first: number): StoreError {
  return new StoreError(
    'TRIMMED',
    `Event ${seq} of session ${JSON.stringify(session)} was compacted away; the log begins at ${first}.`,
    { session, seq },
  )
}
