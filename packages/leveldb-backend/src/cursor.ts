import type { Database, KeyRange, NativeIterator, Row, Snapshot } from './database.ts'

export interface CursorOptions {
  readonly keys?: boolean
  readonly values?: boolean
  readonly fillCache?: boolean
}

/**
 * Reads a range in large steps, the next one under way while the caller decodes the last. Survives that its iterator
 * is taken back: it then goes on at the place where it was, on whatever database is open by then.
 */
export class Cursor {
  readonly #database: () => Database
  readonly #options: CursorOptions
  /** What is still to be read, as of the last step that was handed out. */
  readonly #rest: () => KeyRange | undefined
  readonly #rows: number | undefined
  #owner: Database | undefined
  #iterator: NativeIterator | undefined
  #ahead: Promise<readonly Row[]> | undefined
  #starts = 0

  constructor(
    database: () => Database,
    rest: () => KeyRange | undefined,
    options: CursorOptions = {},
    snapshot?: Snapshot,
    rows?: number,
  ) {
    this.#database = database
    this.#rest = rest
    this.#options = options
    this.#rows = rows
    this.#begin(snapshot)
  }

  /** All rows so far came from the snapshot that it began with. */
  get isUnbroken(): boolean {
    return this.#starts === 1
  }

  /** The next rows; none at the end. */
  async next(): Promise<readonly Row[]> {
    if (this.#ahead === undefined) this.#begin()
    const rows = await (this.#ahead ?? [])
    this.#ahead = undefined
    const [owner, iterator] = [this.#owner, this.#iterator]
    if (rows.length > 0 && owner !== undefined && iterator !== undefined && owner.isLent(iterator)) {
      this.#ahead = owner.step(iterator, this.#rows)
      this.#ahead.catch(() => undefined) // reported when it is asked for
    }
    return rows
  }

  async close(): Promise<void> {
    await this.#ahead?.catch(() => undefined) // nobody will ask for it any more
    this.#ahead = undefined
    if (this.#owner !== undefined && this.#iterator !== undefined) await this.#owner.giveBack(this.#iterator)
    this.#iterator = undefined
  }

  #begin(snapshot?: Snapshot): void {
    const range = this.#rest()
    if (range === undefined) return
    this.#starts += 1
    this.#owner = this.#database()
    this.#iterator = this.#owner.lend(range, { ...this.#options, ...(snapshot === undefined ? {} : { snapshot }) })
    this.#ahead = this.#owner.step(this.#iterator, this.#rows)
    this.#ahead.catch(() => undefined) // reported when it is asked for
  }
}
