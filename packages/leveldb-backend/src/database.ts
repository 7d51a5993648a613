import { ClassicLevel } from 'classic-level'

import { fromLevel } from './level-error.ts'
import type { CheckedOptions } from './leveldb-options.ts'

export interface KeyRange {
  readonly gt?: Buffer
  readonly gte?: Buffer
  readonly lt?: Buffer
  readonly lte?: Buffer
  readonly reverse?: boolean
}

export type Row = readonly [key: Buffer, value: Buffer]
export type Level = ClassicLevel<Buffer, Buffer>
export type Snapshot = ReturnType<Level['snapshot']>
type NativeIterator = ReturnType<Level['iterator']>

/** Enough for one hop in most reads, little enough that decoding one batch does not hold up the event loop. */
const HIGH_WATER_MARK_BYTES = 1024 * 1024
const ROWS_MOST = 4096

/**
 * LevelDB behind the few things that are safe to ask of it. There is no `get`: on a damaged table it can end the
 * process, and a damaged filter makes it miss keys.
 *
 * Erasing and reopening after a failed write need all iterators gone, but a consumer may leave one standing for ever.
 * So iterators are lent: `release` takes them all back, and a `Cursor` makes itself a new one when it goes on.
 */
export class Database {
  readonly location: string
  readonly #level: Level
  readonly #lent = new Set<NativeIterator>()
  readonly #snapshots = new Set<Snapshot>()
  readonly #reads = new Set<Promise<unknown>>()

  private constructor(level: Level, location: string) {
    this.#level = level
    this.location = location
  }

  static async open(location: string, options: CheckedOptions, create: boolean): Promise<Database> {
    const level: Level = new ClassicLevel<Buffer, Buffer>(location, {
      keyEncoding: 'buffer',
      valueEncoding: 'buffer',
      createIfMissing: create,
      errorIfExists: create,
      cacheSize: options.cacheBytes,
      writeBufferSize: options.writeBufferBytes,
      blockSize: options.blockBytes,
      maxFileSize: options.maxFileBytes,
      compression: options.compression,
      passive: true,
    } as ConstructorParameters<typeof ClassicLevel<Buffer, Buffer>>[1])
    await level.open({ passive: false })
    return new Database(level, location)
  }

  batch(): ReturnType<Level['batch']> {
    return this.#level.batch()
  }

  /** For several iterators that must see the same. Give it back with `endSnapshot`. */
  snapshot(): Snapshot {
    const snapshot = this.#level.snapshot()
    this.#snapshots.add(snapshot)
    return snapshot
  }

  async endSnapshot(snapshot: Snapshot): Promise<void> {
    if (this.#snapshots.delete(snapshot)) await snapshot.close()
  }

  /** The rows of a small range, at most `limit`. */
  async rows(
    range: KeyRange,
    limit: number,
    snapshot?: Snapshot,
    extra: { values?: boolean } = {},
  ): Promise<readonly Row[]> {
    const iterator = this.lend(range, { limit, ...extra, ...(snapshot === undefined ? {} : { snapshot }) })
    try {
      return await this.step(iterator, limit)
    } finally {
      await this.giveBack(iterator)
    }
  }

  lend(
    range: KeyRange,
    extra: { limit?: number; snapshot?: Snapshot; keys?: boolean; values?: boolean; fillCache?: boolean } = {},
  ): NativeIterator {
    const iterator = this.#level.iterator({
      fillCache: true,
      highWaterMarkBytes: HIGH_WATER_MARK_BYTES,
      ...range,
      ...extra,
    } as Parameters<Level['iterator']>[0])
    this.#lent.add(iterator)
    return iterator
  }

  isLent(iterator: NativeIterator): boolean {
    return this.#lent.has(iterator)
  }

  step(iterator: NativeIterator, limit: number = ROWS_MOST): Promise<readonly Row[]> {
    const reading = iterator.nextv(limit) as Promise<readonly Row[]>
    this.#reads.add(reading)
    return reading
      .catch((error: unknown) => {
        throw fromLevel(error, 'read', this.location)
      })
      .finally(() => this.#reads.delete(reading))
  }

  async giveBack(iterator: NativeIterator): Promise<void> {
    if (this.#lent.delete(iterator)) await iterator.close()
  }

  /** Takes all iterators back, after the reads that are under way. */
  async release(): Promise<void> {
    await Promise.allSettled(this.#reads)
    await Promise.all(Array.from(this.#lent, (iterator) => this.giveBack(iterator)))
    await Promise.all(Array.from(this.#snapshots, (snapshot) => this.endSnapshot(snapshot)))
  }

  compact(start: Buffer, end: Buffer): Promise<void> {
    return this.#level.compactRange(start, end)
  }

  async close(): Promise<void> {
    await this.release()
    await this.#level.close()
  }
}

export type { NativeIterator }
