import type { Range } from '@turnlog/core/backend'

import { SEGMENT_EVENTS } from '../append/seal-plan.ts'
import type { Database } from '../database/database.ts'
import type { SessionKeys } from '../format/row-keys.ts'
import type { ReadEpoch } from './read-epoch.ts'

/** Segments of one hop. The next hop is under way while these are decoded, which takes about as long. */
const SEGMENTS_AT_ONCE = 3
/** Single rows of one hop: a tail has seldom more, and together they are no larger than a segment. */
const SINGLES_AT_ONCE = SEGMENT_EVENTS

/** A row, and the seq under whose key it was looked for. */
export interface KeyedRow {
  readonly seq: number
  /** `undefined` if there is no row under that key. */
  readonly value: Buffer | undefined
}

/**
 * The rows that hold some ranges, by their keys, in one hop for most reads. An iterator costs a hop more to close it, and
 * goes through the single rows that segments were sealed from as well: deleted long ago, but there until LevelDB compacts
 * them, and as many bytes again.
 *
 * No index says where segments end. Most hold {@link SEGMENT_EVENTS} events, so counting back from the end of the last
 * one finds them all; where it does not, the reader must look for itself.
 */
export class KeyedRows {
  readonly #database: Database
  readonly #keys: SessionKeys
  readonly #epoch: ReadEpoch
  readonly #hops: (readonly number[])[]
  #ahead: Promise<readonly KeyedRow[]> | undefined
  #isLate = false

  /** `sealed` is where the last segment ends; the ranges are ascending. */
  constructor(database: Database, keys: SessionKeys, ranges: readonly Range[], sealed: number, epoch: ReadEpoch) {
    this.#database = database
    this.#keys = keys
    this.#epoch = epoch
    this.#hops = keyedHops(ranges, sealed)
    this.#ask()
  }

  /** Some of it was asked for when the epoch was over. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Some rows, in order; empty at the end. */
  async next(): Promise<readonly KeyedRow[]> {
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
    const seqs = this.#hops.shift()
    if (seqs === undefined) return
    this.#isLate ||= this.#epoch.isOver
    this.#ahead = this.#read(seqs)
    this.#ahead.catch(() => undefined) // reported when it is asked for
  }

  async #read(seqs: readonly number[]): Promise<readonly KeyedRow[]> {
    const keys = seqs.map((seq) => this.#keys.eventCopy(seq))
    const values = await this.#database.values(keys, this.#epoch.snapshot)
    return seqs.map((seq, index) => ({ seq, value: values[index] }))
  }
}

/** The seqs of the rows that hold these ranges if all segments are full, a hop at a time. */
export function keyedHops(ranges: readonly Range[], sealed: number): (readonly number[])[] {
  const ends: number[] = []
  const singles: number[] = []
  for (const { from, to } of ranges) {
    let end = sealed - Math.floor((sealed - from) / SEGMENT_EVENTS) * SEGMENT_EVENTS
    if (end === ends.at(-1)) end += SEGMENT_EVENTS
    for (const last = Math.min(to, sealed); end - SEGMENT_EVENTS < last; end += SEGMENT_EVENTS) ends.push(end)
    for (let seq = Math.max(from, sealed + 1); seq <= to; seq++) singles.push(seq)
  }
  const hops: number[][] = []
  for (let index = 0; index < ends.length; index += SEGMENTS_AT_ONCE) {
    hops.push(ends.slice(index, index + SEGMENTS_AT_ONCE))
  }
  for (let index = 0; index < singles.length; index += SINGLES_AT_ONCE) {
    const some = singles.slice(index, index + SINGLES_AT_ONCE)
    if (index === 0 && hops.length > 0) hops.at(-1)?.push(...some)
    else hops.push(some)
  }
  return hops
}
