import type { Range } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { eventChecksum } from '../format/checksums.ts'
import { corrupt } from '../format/corrupt.ts'
import type { SessionRow } from '../format/session-row.ts'
import type { Tables } from '../format/tables.ts'
import { findSession } from './find-session.ts'

const MAX_PAGE_EVENTS = 256
/** By the mean size of the session's events. */
const PAGE_BYTES = 1024 * 1024
const MAX_AHEAD_BYTES = 16 * 1024 * 1024

interface EventRow {
  readonly offset: number
  readonly crc: number
  readonly body: string
}

/** Where a read stands. Its rows never change, so it may also go on in a later snapshot, as long as they are there. */
export class ReadCursor {
  readonly #tables: Tables
  readonly #session: SessionRow
  /** What is still to be read, in the order of reading. */
  readonly #parts: { from: number; to: number }[]
  readonly #isReverse: boolean
  readonly #pageEvents: number
  #left: number
  readonly #ahead: string[][] = []

  constructor(
    tables: Tables,
    session: SessionRow,
    ranges: readonly Range[],
    options: { reverse: boolean; limit: number },
  ) {
    const { bytes, first, last } = session
    this.#tables = tables
    this.#session = session
    this.#isReverse = options.reverse
    this.#left = options.limit
    this.#parts = ranges.map(({ from, to }) => ({ from, to }))
    if (options.reverse) this.#parts.reverse()
    const mean = Math.max(1, bytes / Math.max(1, last - first + 1))
    this.#pageEvents = Math.max(1, Math.min(MAX_PAGE_EVENTS, Math.floor(PAGE_BYTES / mean)))
  }

  get isAtEnd(): boolean {
    return this.#ahead.length === 0 && this.#isAllRead
  }

  /** Reads what is left, within reason, because the snapshot will not be there any more. @throws `CORRUPT` */
  readAhead(database: Database): void {
    let bytes = 0
    while (!this.#isAllRead && bytes < MAX_AHEAD_BYTES) {
      const texts = this.#readNextPage(database)
      for (const text of texts) bytes += text.length
      this.#ahead.push(texts)
    }
  }

  /** The JSON texts of the next events. @throws `CORRUPT` */
  readPage(database: Database): string[] {
    return this.#ahead.shift() ?? this.#readNextPage(database)
  }

  get #isAllRead(): boolean {
    return this.#left === 0 || this.#parts.length === 0
  }

  #readNextPage(database: Database): string[] {
    const bodies: string[] = []
    while (!this.#isAllRead && bodies.length < this.#pageEvents) {
      for (const { body } of this.#readPart(database, this.#pageEvents - bodies.length)) bodies.push(body)
    }
    return bodies
  }

  /** In another snapshot than the one it began with. @throws `IO` if what it has to read is gone from there */
  checkStillThere(database: Database): void {
    if (this.#ahead.length > 0) return
    const { key, id } = this.#session
    const now = findSession(database, this.#tables, key)
    const next = Math.min(...this.#parts.map(({ from }) => from))
    if (now?.id === id && now.first <= next) return
    throw new StoreError(
      'IO',
      `The read of session ${JSON.stringify(key)} took so long that its events were removed meanwhile. Read again.`,
      { session: key },
    )
  }

  /** Of the first part so many events, or all of it. */
  #readPart(database: Database, most: number): EventRow[] {
    const [part] = this.#parts
    if (part === undefined) return []
    const count = Math.min(most, this.#left, part.to - part.from + 1)
    const from = this.#isReverse ? part.to - count + 1 : part.from
    const rows = this.#readRows(database, from, from + count - 1)
    this.#left -= count
    if (this.#isReverse) part.to -= count
    else part.from += count
    if (part.from > part.to) this.#parts.shift()
    return this.#isReverse ? rows.reverse() : rows
  }

  #readRows(database: Database, from: number, to: number): EventRow[] {
    const { id, base, key } = this.#session
    const rows = database.all<EventRow>(
      `SELECT at & 4294967295 AS offset, crc, body FROM ${this.#tables.events} ` +
        'WHERE at BETWEEN ((? << 32) | ?) AND ((? << 32) | ?) ORDER BY at',
      id,
      from - base,
      id,
      to - base,
    )
    let seq = from
    for (const { offset, crc, body } of rows) {
      if (offset !== seq - base) break
      if (eventChecksum(id, offset, body) !== crc) {
        throw corrupt(`the checksum of event ${seq} is wrong`, { session: key, seq })
      }
      seq++
    }
    if (seq !== to + 1) throw corrupt(`event ${seq} is missing`, { session: key, seq })
    return rows
  }
}
