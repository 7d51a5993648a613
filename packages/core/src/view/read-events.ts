import type { Backend, Head, Range } from '../backend/backend.ts'
import { clipRanges } from '../backend/clip-ranges.ts'
import { StoreError } from '../errors/store-error.ts'
import type { SessionEvent } from '../events/session-event.ts'
import type { EventSchema } from '../events/upcast.ts'
import { upcast } from '../events/upcast.ts'

/** Where sessions are read from. */
export interface EventSource {
  readonly backend: Backend
  readonly schema: EventSchema
  /** Others may write, so a session can be erased and made anew between the head that was read and its events. */
  readonly hasOtherWriters?: boolean
}

/**
 * Visits the events of some ranges, all of them, a batch at a time: in between others have their turn. A backend that
 * loses one in the middle would otherwise change a conversation without a word, so every seq is accounted for.
 *
 * @returns `false` if the session moved on in a way that the head does not describe any more (trimmed or erased
 * meanwhile): what was visited is worth nothing, ask for the head and start again.
 * @throws `CORRUPT` if an event is missing that must be there
 */
export async function visitEvents<M>(
  source: EventSource,
  session: string,
  head: Head,
  ranges: readonly Range[],
  visit: (event: SessionEvent<M>) => void,
): Promise<boolean> {
  const wanted = clipRanges(head, mergeRanges(ranges))
  let range = 0
  let next = wanted[0]?.from ?? 0
  for await (const batch of source.backend.read(session, wanted)) {
    for (const record of batch) {
      if (record.seq !== next) {
        await explainGap(source, session, head, next)
        return false
      }
      visit(upcast<M>(session, record, source.schema))
      if (next === wanted[range]?.to) {
        range++
        next = wanted[range]?.from ?? 0
      } else {
        next++
      }
    }
  }
  if (next !== 0) {
    await explainGap(source, session, head, next)
    return false
  }
  return source.hasOtherWriters !== true || (await source.backend.head(session))?.incarnation === head.incarnation
}

/** Like {@link visitEvents}, with the events in an array; `undefined` instead of `false`. */
export async function readEvents<M>(
  source: EventSource,
  session: string,
  head: Head,
  ranges: readonly Range[],
): Promise<SessionEvent<M>[] | undefined> {
  const events: SessionEvent<M>[] = []
  const isCurrent = await visitEvents<M>(source, session, head, ranges, (event) => events.push(event))
  return isCurrent ? events : undefined
}

/** Ascending, without overlaps, neighbours joined. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last.to + 1)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) }
    else if (from <= to) merged.push({ from, to })
  }
  return merged
}

/**
 * Call this when a read skipped an event that the head says exists.
 *
 * @returns the head as it is now, by which the event need not exist: it was trimmed, erased or taken back
 * @throws `CORRUPT` if the event must be there all the same
 */
export async function explainGap(
  { backend }: EventSource,
  session: string,
  { incarnation }: Pick<Head, 'incarnation'>,
  seq: number,
): Promise<Head | undefined> {
  const now = await backend.head(session)
  if (now === undefined || now.incarnation !== incarnation || now.first > seq || now.last < seq) return now
  throw new StoreError(
    'CORRUPT',
    `Event ${seq} of session ${JSON.stringify(session)} is missing, although the session has events ${now.first} to ${now.last}. Run verify, and restore from a backup or repair.`,
    { session, seq },
  )
}
