import { freezeAndMeasure, isStoreError, newId, sameJson, StoreError, UNFINISHED_COPY } from '@turnlog/core/backend'
import type { AppendOptions, Backend, EventRecord, Head, SessionHead } from '@turnlog/core/backend'
import { firstDifference } from './compare-logs.ts'
import type { SessionLog } from './session-log.ts'
import { backendLog } from './session-log.ts'
import type { SessionOutcome } from './transfer-report.ts'

/** The most that one append carries: bounds memory, also for a session of a million events. */
const MAX_APPEND_BYTES = 4 * 1024 * 1024
const MAX_APPEND_EVENTS = 4096

/**
 * Makes a session in a backend what it is elsewhere: every event with its seq, id and time, the projection, the life.
 * What is there already must be an earlier part of the same; it is compared and continued. Otherwise nothing is touched.
 *
 * A long session takes several appends. Until the last one it is marked as unfinished, so that nobody takes a part for
 * the whole.
 */
export async function writeSession(to: Backend, log: SessionLog, signal?: AbortSignal): Promise<SessionOutcome> {
  const { session } = log.head
  const there = await to.head(session)
  const difference = there === undefined ? undefined : await findConflict(to, log, there, signal)
  if (difference !== undefined) return conflict(session, difference)
  const next = there === undefined ? log.head.first : there.last + 1
  if (there !== undefined && next > log.head.last) return { status: 'already-there', events: 0 }
  try {
    await appendFrom(to, log, there, signal)
  } catch (error) {
    if (isStoreError(error, 'CONFLICT')) return conflict(session, 'it is being written to')
    throw error
  }
  await check(to, log, next, signal)
  return { status: there === undefined ? 'copied' : 'resumed', events: log.head.last - next + 1 }
}

/** Why what is there cannot be continued, `undefined` if it can. */
async function findConflict(
  to: Backend,
  log: SessionLog,
  there: Head,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { head } = log
  if (there.incarnation !== head.incarnation) return 'it is another session of that key'
  if (there.last > head.last) return `it goes on to event ${there.last}, this one ends at ${head.last}`
  if (there.last < head.first - 1)
    return `it ends at event ${there.last}, and this one was compacted up to ${head.first}, so they cannot be compared`
  const from = Math.max(there.first, head.first)
  const other = backendLog(to, { session: head.session, ...there })
  const seq = await firstDifference(log.read(from, signal), other.read(from, signal), there.last)
  return seq === undefined ? undefined : `event ${seq} differs`
}

async function appendFrom(
  to: Backend,
  log: SessionLog,
  there: Head | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { session, incarnation, first, last: end, projection } = log.head
  let last = there?.last ?? 0
  const append = async (events: readonly EventRecord[]): Promise<void> => {
    signal?.throwIfAborted()
    const reached = events.at(-1)?.seq === end
    const options: AppendOptions = {
      ...(last === 0 ? { import: true } : undefined),
      ...(reached && first > (there?.first ?? first) ? { trimBefore: first } : undefined),
      ...(first > end ? { trimBefore: first } : undefined),
    }
    await to.append(session, { last, incarnation }, events, reached ? projection : UNFINISHED_COPY, options)
    last = events.at(-1)?.seq ?? last
  }

  if (first > end) return append([placeholder(end)])
  let waiting: EventRecord[] = []
  let bytes = 0
  for await (const event of log.read(last === 0 ? first : last + 1, signal)) {
    waiting.push(event)
    bytes += freezeAndMeasure(event)
    if (bytes < MAX_APPEND_BYTES && waiting.length < MAX_APPEND_EVENTS) continue
    await append(waiting)
    waiting = []
    bytes = 0
  }
  if (waiting.length > 0) await append(waiting)
  return undefined
}

/** Carries the number of a session of which nothing can be read any more. It is trimmed in the append that brings it. */
function placeholder(seq: number): EventRecord {
  return Object.freeze({ seq, id: newId(), type: 'Placeholder', v: 1, at: 0, inert: true })
}

/** @throws `CORRUPT` if what was written is not what comes back */
async function check(to: Backend, log: SessionLog, from: number, signal: AbortSignal | undefined): Promise<void> {
  const { head } = log
  const there = await to.head(head.session)
  if (there === undefined || !isSameHead(there, head)) throw differs(head, 'its head')
  const other = backendLog(to, { session: head.session, ...there })
  const seq = await firstDifference(log.read(from, signal), other.read(from, signal), head.last)
  if (seq !== undefined) throw differs(head, `event ${seq}`, seq)
}

function isSameHead(there: Head, head: Head): boolean {
  const isSameRange = there.first === head.first && there.last === head.last
  return isSameRange && there.incarnation === head.incarnation && sameJson(there.projection, head.projection)
}

function differs({ session }: SessionHead, what: string, seq?: number): StoreError {
  return new StoreError(
    'CORRUPT',
    `Session ${JSON.stringify(session)} was written, but ${what} did not come back as it was. Do not use this copy.`,
    { session, ...(seq === undefined ? undefined : { seq }) },
  )
}

function conflict(session: string, why: string): SessionOutcome {
  const message = `The target has a session ${JSON.stringify(session)} already that is not known to be a part of this one: ${why}. It was not changed. If it is not needed, erase it and copy again.`
  return { status: 'conflict', problem: { session, code: 'CONFLICT', message } }
}
