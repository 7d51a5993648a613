import type { Database } from '../database/database.ts'
import type { KeyRange, LeaseOptions, Lease, Row } from '../database/lease.ts'
import { isLastStep } from '../database/iterator-step.ts'

/**
 * Reads a range in large steps, the next one under way while the caller decodes the last. Survives that its iterator
 * is revoked: it then goes on at the place where it was.
 */
export class Cursor {
  readonly #database: Database
  readonly #options: LeaseOptions
  /** What is still to be read, as of the last step that was handed out. */
  readonly #rest: () => KeyRange | undefined
  readonly #rows: number | undefined
  /** How many rows can still come. */
  #left: number
  #lease: Lease | undefined
  #ahead: Promise<readonly Row[] | undefined> | undefined
  /** The last rows were the last ones. */
  #isAtEnd = false
  #isRenewed = false

  /**
   * `rows` is the most that one step gives, `total` the most that there can be: with that many LevelDB is not asked what
   * comes behind them. It would have to go through all deleted rows there, such as those of the next session.
   */
  constructor(
    database: Database,
    rest: () => KeyRange | undefined,
    options: LeaseOptions = {},
    { rows, total = Infinity }: { readonly rows?: number; readonly total?: number } = {},
  ) {
    this.#database = database
    this.#rest = rest
    this.#options = options
    this.#rows = rows
    this.#left = total
    this.#begin(options)
  }

  /** Its iterator was revoked, and what it gives now is what there is now. */
  get isRenewed(): boolean {
    return this.#isRenewed
  }

  /** The next rows; none at the end. */
  async next(): Promise<readonly Row[]> {
    if (this.#isAtEnd) return []
    let rows: readonly Row[] | undefined
    while (rows === undefined) {
      if (this.#ahead === undefined) {
        this.#isRenewed = true
        this.#begin({ ...this.#options, snapshot: undefined })
      }
      rows = await (this.#ahead ?? [])
      this.#ahead = undefined
    }
    this.#left -= rows.length
    this.#isAtEnd = this.#left <= 0 || isLastStep(rows, this.#options, this.#rows)
    if (!this.#isAtEnd && this.#lease !== undefined && this.#database.isLeased(this.#lease)) this.#step(this.#lease)
    return rows
  }

  async close(): Promise<void> {
    await this.#ahead?.catch(() => undefined) // nobody will ask for it any more
    this.#ahead = undefined
    if (this.#lease !== undefined) this.#database.release(this.#lease)
  }

  #begin(options: LeaseOptions): void {
    const range = this.#rest()
    if (range === undefined) return
    this.#lease = this.#database.lease(range, options)
    this.#step(this.#lease)
  }

  #step(lease: Lease): void {
    this.#ahead = this.#database.step(lease, this.#rows)
    this.#ahead.catch(() => undefined) // reported when it is asked for
  }
}
