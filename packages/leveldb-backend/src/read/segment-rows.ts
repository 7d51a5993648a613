import type { Range } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import type { SessionKeys } from '../format/row-keys.ts'
import { SEGMENT_EVENTS } from '../format/segment.ts'
import type { ReadEpoch } from './read-epoch.ts'

/** Segments of one hop. The next hop is under way while these are decoded, which takes about as long. */
const AT_ONCE = 3

/**
 * The segments that hold some ranges, by their keys. An iterator would go through the single rows that they were sealed
 * from as well: deleted long ago, but there until LevelDB compacts them, and as many bytes again.
 *
 * No index says where segments end. Most hold {@link SEGMENT_EVENTS} events, so counting back from the end of the last
 * one finds them all; where it does not, the reader must look for itself.
 */
export class SegmentRows {
  readonly #database: Database
  readonly #keys: SessionKeys
  readonly #seqs: readonly number[]
  readonly #epoch: ReadEpoch
  #taken = 0
  #ahead: Promise<readonly (Buffer | undefined)[]> | undefined
  #isLate = false

  /** `sealed` is where the last segment ends; the ranges are ascending and end there at most. */
  constructor(database: Database, keys: SessionKeys, ranges: readonly Range[], sealed: number, epoch: ReadEpoch) {
    this.#database = database
    this.#keys = keys
    this.#seqs = endsOf(ranges, sealed)
    this.#epoch = epoch
    this.#ask()
  }

  /** Some of it was asked for when the epoch was over, or is asked for then. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Some rows, in order; `undefined` where none was found. Empty at the end. */
  async next(): Promise<readonly (Buffer | undefined)[]> {
    const rows = await (this.#ahead ?? [])
    this.#ahead = undefined
    this.#ask()
    return rows
  }

  /** Whoever asked LevelDB must not leave before it has answered: it may be closed then. */
  async close(): Promise<void> {
    await this.#ahead?.catch(() => undefined) // nobody will ask for it any more
  }

  #ask(): void {
    if (this.#taken >= this.#seqs.length) return
    const seqs = this.#seqs.slice(this.#taken, this.#taken + AT_ONCE)
    this.#taken += seqs.length
    this.#isLate ||= this.#epoch.isOver
    this.#ahead = this.#database.values(
      seqs.map((seq) => this.#keys.eventCopy(seq)),
      this.#epoch.snapshot,
    )
    this.#ahead.catch(() => undefined) // reported when it is asked for
  }
}

/** How many hops the ranges take. */
export function segmentHops(ranges: readonly Range[], sealed: number): number {
  return Math.ceil(endsOf(ranges, sealed).length / AT_ONCE)
}

/** Where the segments end that hold these ranges, if all are full. */
function endsOf(ranges: readonly Range[], sealed: number): readonly number[] {
  const ends: number[] = []
  for (const { from, to } of ranges) {
    let end = sealed - Math.floor((sealed - from) / SEGMENT_EVENTS) * SEGMENT_EVENTS
    if (end === ends.at(-1)) end += SEGMENT_EVENTS
    for (; end - SEGMENT_EVENTS < to; end += SEGMENT_EVENTS) ends.push(end)
  }
  return ends
}
