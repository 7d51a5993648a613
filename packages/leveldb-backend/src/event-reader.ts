import { clipRanges, StoreError } from '@turnlog/core/backend'
import type { EventRecord, Range, ReadOptions } from '@turnlog/core/backend'

import { Cursor } from './cursor.ts'
import type { Database, KeyRange, Snapshot } from './database.ts'
import { decodeEvents } from './event-row.ts'
import type { HeadRow } from './head-row.ts'
import type { SessionKeys } from './row-keys.ts'
import { seqOf } from './row-keys.ts'
import { isSingle } from './row-value.ts'
import { SEGMENT_EVENTS } from './seal-plan.ts'

/** Ranges that are asked for at the same time, each by a hop of its own. */
const RANGES_AT_ONCE = 4

export interface EventSource {
  readonly session: string
  readonly keys: SessionKeys
  readonly head: HeadRow
  readonly database: Database
  /** The head as it is now: after an iterator was taken back, rows may be gone with good reason. */
  present(): Promise<HeadRow | undefined>
}

/**
 * The events of the ranges, from one snapshot taken now, in the order asked for. Every seq between the first and the
 * last of a session exists, so what is missing is damage and not an end.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`, `TRIMMED`
 */
export async function* readEvents(
  source: EventSource,
  ranges: readonly Range[],
  options: ReadOptions,
): AsyncGenerator<readonly EventRecord[]> {
  const reverse = options.reverse === true
  const wanted = limitRanges(clipRanges(source.head, ranges), reverse, options.limit)
  const { database } = source
  const snapshot = wanted.length > 1 ? database.snapshot() : undefined
  const readers: RangeReader[] = []
  try {
    for (const [index, range] of wanted.entries()) {
      for (let ahead = readers.length; ahead < Math.min(wanted.length, index + RANGES_AT_ONCE); ahead += 1) {
        readers.push(new RangeReader(source, wanted[ahead] ?? range, reverse, snapshot))
      }
      const reader = readers[index]
      for (;;) {
        options.signal?.throwIfAborted()
        const batch = await reader?.next()
        if (batch === undefined) break
        yield batch
      }
    }
  } finally {
    for (const reader of readers) await reader.close()
    await database.endSnapshot(snapshot)
  }
}

class RangeReader {
  readonly #source: EventSource
  readonly #range: Range
  readonly #reverse: boolean
  readonly #cursor: Cursor
  /** The seq that must come next. */
  #next: number
  #gap = false

  constructor(source: EventSource, range: Range, reverse: boolean, snapshot: Snapshot | undefined) {
    this.#source = source
    this.#range = range
    this.#reverse = reverse
    this.#next = reverse ? range.to : range.from
    this.#cursor = new Cursor(source.database, () => this.#rest(), { keys: reverse, snapshot })
  }

  /** `undefined` at the end. */
  async next(): Promise<readonly EventRecord[] | undefined> {
    while (!this.#isDone) {
      const rows = await this.#cursor.next()
      if (rows.length === 0) throw await this.#missing()
      const batch: EventRecord[] = []
      for (const [key, value] of rows) {
        if (this.#isDone) break
        // Read backwards, the rows behind the range come first; only their keys tell single ones apart.
        if (this.#reverse && isSingle(value) && seqOf(key) > this.#next) continue
        this.#take(value, batch)
        if (this.#gap) throw await this.#missing()
      }
      if (batch.length > 0) return batch
    }
    return undefined
  }

  close(): Promise<void> {
    return this.#cursor.close()
  }

  get #isDone(): boolean {
    return this.#reverse ? this.#next < this.#range.from : this.#next > this.#range.to
  }

  #take(value: Buffer, batch: EventRecord[]): void {
    const { session, keys } = this.#source
    const { from, to } = this.#range
    const wanted = this.#reverse ? { from, to: this.#next } : { from: this.#next, to }
    const events = decodeEvents(session, keys, value, this.#next, wanted)
    const first = events[0]?.seq ?? 0
    const last = first + events.length - 1
    if (first > this.#next && this.#reverse) return // a segment that lies wholly behind the range
    this.#gap = this.#next < first || this.#next > last
    if (this.#gap) return
    if (this.#reverse) {
      const end = Math.max(first, this.#range.from)
      for (let seq = this.#next; seq >= end; seq -= 1) batch.push(events[seq - first] as EventRecord)
      this.#next = end - 1
    } else {
      const end = Math.min(last, this.#range.to)
      if (this.#next === first && end === last && batch.length === 0 && events.length > 1) batch.push(...events)
      else for (let seq = this.#next; seq <= end; seq += 1) batch.push(events[seq - first] as EventRecord)
      this.#next = end + 1
    }
  }

  /**
   * Rows stand under the seq of their last event, so the row that holds `to` is at most a segment further on. That
   * segment may be newer than the head: a batch under way can have sealed the tail together with events to come.
   */
  #rest(): KeyRange | undefined {
    if (this.#isDone) return undefined
    const { keys } = this.#source
    const { from, to } = this.#reverse
      ? { from: this.#range.from, to: this.#next }
      : { from: this.#next, to: this.#range.to }
    return { gte: keys.eventCopy(from), lte: keys.eventCopy(to + SEGMENT_EVENTS - 1), reverse: this.#reverse }
  }

  async #missing(): Promise<StoreError> {
    const { session, head } = this.#source
    const seq = this.#next
    const present = await this.#source.present()
    if (present === undefined || present.incarnation !== head.incarnation || present.first > seq) {
      return new StoreError(
        'TRIMMED',
        `Event ${seq} of session ${JSON.stringify(session)} was removed while it was being read. Read again.`,
        { session, seq },
      )
    }
    return new StoreError(
      'CORRUPT',
      `Event ${seq} of session ${JSON.stringify(session)} is missing, although the session holds ${head.first} to ${head.last}. Run verify, then repair.`,
      { session, seq },
    )
  }
}

/** The first (or last) `limit` events of the ranges: they are contiguous, so this is arithmetic. */
function limitRanges(ranges: readonly Range[], reverse: boolean, limit = Infinity): readonly Range[] {
  const limited: Range[] = []
  let left = limit
  for (const { from, to } of reverse ? ranges.toReversed() : ranges) {
    if (left <= 0) break
    const count = Math.min(left, to - from + 1)
    limited.push(reverse ? { from: to - count + 1, to } : { from, to: from + count - 1 })
    left -= count
  }
  return limited
}
