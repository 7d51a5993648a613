import { Cursor } from '../read/cursor.ts'
import type { Database } from '../database/database.ts'
import type { KeyRange, Row, Snapshot } from '../database/lease.ts'

/** The rows of a range one after the other, with a look at the next. */
export class RowStream {
  readonly #cursor: Cursor
  #rows: readonly Row[] = []
  #index = 0
  #last: Buffer | undefined

  constructor(database: Database, range: KeyRange, snapshot: Snapshot | undefined) {
    const rest = (): KeyRange => {
      if (this.#last === undefined) return range
      const { gte: _gte, ...others } = range
      return { ...others, gt: this.#last }
    }
    this.#cursor = new Cursor(database, rest, { fillCache: false, snapshot })
  }

  async peek(): Promise<Row | undefined> {
    if (this.#index === this.#rows.length) {
      this.#rows = await this.#cursor.next()
      this.#index = 0
      this.#last = this.#rows.at(-1)?.[0] ?? this.#last
    }
    return this.#rows[this.#index]
  }

  skip(): void {
    this.#index++
  }

  close(): Promise<void> {
    return this.#cursor.close()
  }
}
