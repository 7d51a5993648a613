import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { EventRecord } from '@turnlog/core/backend'

import { Cursor } from './cursor.ts'
import { MAX_ROWS } from '../database/iterator-step.ts'
import type { Database } from '../database/database.ts'
import type { KeyRange } from '../database/lease.ts'
import { checkEvents, decodeEvents } from '../format/event-row.ts'
import type { Span } from '../format/event-row.ts'
import type { HeadRow } from '../format/head-row.ts'
import type { SessionKeys } from '../format/row-keys.ts'
import { seqOf } from '../format/row-keys.ts'
import { isSingle } from '../format/row-value.ts'
import { SEGMENT_EVENTS, segmentSpan } from '../format/segment.ts'
import type { ReadEpoch } from './read-epoch.ts'
import { SegmentRows } from './segment-rows.ts'
import { isSealed, maxRows } from './range-groups.ts'
import type { RangeGroup } from './range-groups.ts'

export interface EventSource {
  readonly session: string
  readonly keys: SessionKeys
  readonly head: HeadRow
  readonly database: Database
  /** The head as it is now: after an iterator was revoked, rows may be gone with good reason. */
  present(): Promise<HeadRow | undefined>
}

/**
 * Reads one group: what is sealed by the keys of its segments, the rest and what is not found so by an iterator. Single
 * rows have known keys as well, but LevelDB counts a row that is not in the first table that it looks into as a seek, and
 * compacts that table after a hundred: a few cold reads after each opening would begin a compaction.
 */
export class GroupReader {
  readonly #source: EventSource
  readonly #ranges: RangeGroup
  readonly #reverse: boolean
  readonly #epoch: ReadEpoch
  /** As long as segments are where they are expected. */
  #segments: SegmentRows | undefined
  #cursor: Cursor | undefined
  #isLate = false
  #index = 0
  /** The seq that is wanted next. */
  #next: number
  /** Read forwards: the seq that the next row begins with, or holds if it is the first; wanted or not. */
  #at: number

  constructor(source: EventSource, ranges: RangeGroup, reverse: boolean, epoch: ReadEpoch) {
    this.#source = source
    this.#ranges = ranges
    this.#reverse = reverse
    this.#epoch = epoch
    this.#next = reverse ? (ranges[0]?.to ?? 0) : (ranges[0]?.from ?? 0)
    this.#at = this.#next
    const { database, keys, head } = source
    if (reverse || !isSealed(ranges, head)) this.#cursor = this.#iterate()
    else this.#segments = new SegmentRows(database, keys, ranges, head.sealed, epoch)
  }

  /** `undefined` at the end. */
  async next(): Promise<readonly EventRecord[] | undefined> {
    while (!this.#isDone) {
      const batch = this.#segments === undefined ? await this.#nextRows() : await this.#nextSegments(this.#segments)
      if (batch.length > 0) return batch
    }
    return undefined
  }

  /** What it gives may be of another incarnation of the session. */
  get isLate(): boolean {
    return this.#isLate || this.#segments?.isLate === true || this.#cursor?.isRenewed === true
  }

  async close(): Promise<void> {
    await this.#segments?.close()
    await this.#cursor?.close()
  }

  async #nextSegments(segments: SegmentRows): Promise<readonly EventRecord[]> {
    const batch: EventRecord[] = []
    const rows = await segments.next()
    for (const value of rows) {
      if (this.#isDone) break
      // Each of these rows holds what is wanted next, or they are not the right ones.
      this.#at = this.#next
      const isFound = value !== undefined && !isSingle(value) && holds(segmentSpan(value), this.#at)
      if (isFound && this.#take(value, batch)) continue
      await this.#giveUp(segments)
      return batch
    }
    if (rows.length === 0) await this.#giveUp(segments)
    return batch
  }

  /** An iterator goes on from here. It is begun at once: when the caller comes back, the rows may have been trimmed. */
  async #giveUp(segments: SegmentRows): Promise<void> {
    this.#segments = undefined
    this.#isLate ||= segments.isLate
    await segments.close()
    this.#cursor = this.#iterate()
  }

  async #nextRows(): Promise<readonly EventRecord[]> {
    this.#cursor ??= this.#iterate()
    const rows = await this.#cursor.next()
    if (rows.length === 0) throw await this.#missing()
    const batch: EventRecord[] = []
    for (const [key, value] of rows) {
      if (this.#isDone) break
      if (this.#reverse ? isSingle(value) && seqOf(key) > this.#next : this.#isBetween(key)) continue
      try {
        if (this.#reverse ? this.#takeBackwards(value, batch) : this.#take(value, batch)) continue
      } catch (error) {
        // The checksum of a row covers its key: in the place of one that is gone any other looks damaged.
        throw isStoreError(error, 'CORRUPT') ? await this.#missing(error) : error
      }
      throw await this.#missing()
    }
    return batch
  }

  #iterate(): Cursor {
    // Only keys tell single rows apart: read backwards those behind the range, read forwards those between ranges.
    const keys = this.#reverse || this.#ranges.length > 1
    const options = { keys, snapshot: this.#epoch.snapshot }
    this.#isLate ||= this.#epoch.isOver
    const total = maxRows(this.#ranges)
    // Read backwards, single rows behind the range may come first.
    const limits = this.#reverse
      ? { rows: Math.min(MAX_ROWS, total + SEGMENT_EVENTS) }
      : { rows: Math.min(MAX_ROWS, total), total }
    return new Cursor(this.#source.database, () => this.#rest(), options, limits)
  }

  get #isDone(): boolean {
    return this.#index >= this.#ranges.length
  }

  /** Whether a row lies between two ranges: nobody needs it, so nothing is asked of it, not even to be whole. */
  #isBetween(key: Buffer): boolean {
    if (this.#at === this.#next) return false
    // A row stands under the seq of its last event.
    if (seqOf(key) < this.#next) return true
    this.#at = this.#next
    return false
  }

  /** @returns `false` if another row should have come */
  #take(value: Buffer, batch: EventRecord[]): boolean {
    const { session, keys } = this.#source
    const { first, last } = checkEvents(session, keys, value, this.#at)
    if (this.#at < first || this.#at > last) return false
    this.#at = last + 1
    for (let range = this.#ranges[this.#index]; range !== undefined && this.#next <= last;) {
      const to = Math.min(last, range.to)
      for (const event of decodeEvents(session, value, { first: this.#next, last: to })) batch.push(event)
      this.#next = to + 1
      if (to < range.to) break
      this.#index++
      range = this.#ranges[this.#index]
      this.#next = range?.from ?? this.#next
    }
    return true
  }

  #takeBackwards(value: Buffer, batch: EventRecord[]): boolean {
    const { session, keys } = this.#source
    const { first, last } = checkEvents(session, keys, value, this.#next)
    if (first > this.#next) return true // a segment that lies wholly behind the range
    if (this.#next > last) return false
    const from = Math.max(first, this.#ranges[0]?.from ?? first)
    batch.push(...decodeEvents(session, value, { first: from, last: this.#next }).toReversed())
    this.#next = from - 1
    if (from === this.#ranges[0]?.from) this.#index++
    return true
  }

  /**
   * Rows stand under the seq of their last event, so the row that holds the end is at most a segment further on. That
   * segment may be newer than the head: a batch under way can have sealed the tail together with events to come.
   */
  #rest(): KeyRange | undefined {
    if (this.#isDone) return undefined
    const { keys } = this.#source
    const from = this.#reverse ? (this.#ranges[0]?.from ?? 0) : this.#at
    const to = this.#reverse ? this.#next : (this.#ranges.at(-1)?.to ?? 0)
    return { gte: keys.eventCopy(from), lte: keys.eventCopy(to + SEGMENT_EVENTS - 1), reverse: this.#reverse }
  }

  /** What to say, and what `corrupt` says unless the row is gone with good reason. */
  async #missing(corrupt?: StoreError): Promise<StoreError> {
    const { session, head } = this.#source
    const seq = this.#reverse ? this.#next : this.#at
    const present = await this.#source.present()
    if (present === undefined || present.incarnation !== head.incarnation || present.first > seq) {
      return new StoreError(
        'TRIMMED',
        `Event ${seq} of session ${JSON.stringify(session)} was removed while it was being read. Read again.`,
        { session, seq },
      )
    }
    if (corrupt !== undefined) return corrupt
    return new StoreError(
      'CORRUPT',
      `Event ${seq} of session ${JSON.stringify(session)} is missing, although the session holds ${head.first} to ${head.last}. Run verify, then repair.`,
      { session, seq },
    )
  }
}

function holds({ first, last }: Span, seq: number): boolean {
  return first <= seq && seq <= last
}
