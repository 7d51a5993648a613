import { StoreError } from '../errors/store-error.ts'
import type { SessionEvent } from '../events/session-event.ts'
import { upcast } from '../events/upcast.ts'
import { freezeAndMeasure } from '../normalise/freeze.ts'
import type { EventSource } from '../view/read-events.ts'
import { checkWholeNumber } from './check-options.ts'
import type { EventRange } from './session-store.ts'

/**
 * The events of a session as they stand in the log.
 *
 * @throws `TRIMMED` if `from` was compacted away
 */
export async function* readLog<M>(
  source: EventSource,
  session: string,
  { from, to, reverse = false, limit }: EventRange,
): AsyncGenerator<SessionEvent<M>> {
  if (from !== undefined) checkWholeNumber('from', from)
  if (to !== undefined) checkWholeNumber('to', to)
  if (limit !== undefined) checkWholeNumber('limit', limit)
  const head = await source.backend.head(session)
  if (head === undefined) return
  if (from !== undefined && from > 0 && from < head.first) throw trimmed(session, from, head.first)
  const range = { from: Math.max(from ?? head.first, 1), to: Math.min(to ?? head.last, head.last) }
  if (range.from > range.to || limit === 0) return
  let expected = reverse ? range.to : range.from
  for await (const batch of source.backend.read(session, [range], {
    reverse,
    ...(limit === undefined ? undefined : { limit }),
  })) {
    for (const record of batch) {
      if (record.seq !== expected) {
        const first = (await source.backend.head(session))?.first ?? Infinity
        if (first > expected) throw trimmed(session, expected, first)
        throw new StoreError(
          'CORRUPT',
          `Event ${expected} of session ${JSON.stringify(session)} is missing. Run verify.`,
          {
            session,
            seq: expected,
          },
        )
      }
      expected += reverse ? -1 : 1
      freezeAndMeasure(record)
      yield upcast<M>(session, record, source.schema)
    }
  }
}

function trimmed(session: string, seq: number, first: number): StoreError {
  return new StoreError(
    'TRIMMED',
    `Event ${seq} of session ${JSON.stringify(session)} was compacted away; the log begins at ${first}.`,
    { session, seq },
  )
}
