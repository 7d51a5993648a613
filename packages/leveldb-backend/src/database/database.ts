import type { StoreError } from '@turnlog/core/backend'

import { probeCompaction } from '../files/probe-compaction.ts'
import { ROWS_MOST } from './iterator-step.ts'
import type { KeyRange, LendOptions, Lent, Row, Snapshot } from './lent.ts'
import { fromLevel, rootCause } from './level-error.ts'
import type { Level } from './level.ts'
import { closeShadow } from './level.ts'
import { Loans } from './loans.ts'
import { ReusedBatch } from './reused-batch.ts'
import type { TableGuard } from '../open/table-guard.ts'

export type WriteBatch = ReturnType<Level['batch']>

/**
 * LevelDB behind the few things that are safe to ask of it. On a damaged table `get` can end the process, and with a
 * damaged filter it misses keys, so the guard must have checked the tables before.
 *
 * The LevelDB below can be exchanged; reads wait meanwhile. Iterators are only lent, see `Loans`: `release` takes them
 * all back, and a `Cursor` borrows another when it goes on.
 */
export class Database {
  readonly directory: string
  /** Tries the exchange again, when somebody reads after one has failed; may be called by many at once. */
  revive: (() => Promise<void>) | undefined
  #level: Level
  #loans: Loans
  #reused: ReusedBatch | undefined
  #isShadow: boolean
  readonly #guard: TableGuard | undefined
  readonly #explain: (cause: unknown) => StoreError | undefined
  #exchange: Promise<void> | undefined
  #generation = 0
  /** Why the last exchange failed: LevelDB is closed then. */
  #closedBy: unknown
  /** Under way: LevelDB must not be closed below them. */
  readonly #compactions = new Set<Promise<unknown>>()

  /** `explain` is asked when LevelDB fails, for a better reason than LevelDB has. */
  constructor(
    directory: string,
    level: Level,
    guard?: TableGuard,
    explain: (cause: unknown) => StoreError | undefined = () => undefined,
  ) {
    this.directory = directory
    this.#level = level
    this.#loans = this.#loansOf(level)
    this.#isShadow = level.location !== directory
    this.#guard = guard
    this.#explain = explain
  }

  /** Only good for reading: the store itself could not be opened. */
  get isShadow(): boolean {
    return this.#isShadow
  }

  batch(): WriteBatch {
    return this.#level.batch()
  }

  /** The same empty batch each time, for one who writes often. The one before must have been written. */
  reusedBatch(): ReusedBatch {
    return (this.#reused ??= new ReusedBatch(this.#level))
  }

  /** For several iterators that must see the same. None while there is no LevelDB: nothing is written then. */
  snapshot(): Snapshot | undefined {
    return this.#isAway ? undefined : this.#loans.snapshot()
  }

  /** Another one whenever everything was taken back: only in between can a session have ended and begun anew. */
  get generation(): number {
    return this.#generation
  }

  /** Whether what is asked for is seen as it is now. If not, LevelDB is asked later. */
  get isReady(): boolean {
    return !this.#isAway && (this.#guard === undefined || this.#guard.isDone)
  }

  /** Whether it has not ended: then all that was read from it so far is of one time. */
  holds(snapshot: Snapshot | undefined): boolean {
    return this.#loans.holds(snapshot)
  }

  endSnapshot(snapshot: Snapshot | undefined): Promise<void> {
    return this.#loans.endSnapshot(snapshot)
  }

  /**
   * The values of some keys. Cheaper than an iterator, whose native half also stays until the garbage collector has come
   * twice: with one for each new session those made up half of its longest pause.
   */
  async values(keys: readonly Buffer[], snapshot?: Snapshot): Promise<readonly (Buffer | undefined)[]> {
    if (this.#isAway) await this.#whenBack()
    if (this.#guard?.isDone === false) return this.#valuesOfRows(keys, snapshot)
    try {
      return await this.#level.getMany([...keys], this.#loans.valid(snapshot))
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /**
   * As long as tables are unchecked: after a hundred keys that were looked for in a table in vain LevelDB compacts it,
   * together with others that nobody has looked into yet. What iterators do it does not count.
   */
  async #valuesOfRows(keys: readonly Buffer[], snapshot?: Snapshot): Promise<readonly (Buffer | undefined)[]> {
    const find = async (key: Buffer): Promise<Buffer | undefined> => {
      const [row] = await this.rows({ gte: key, lte: key }, 1, { snapshot })
      return row?.[1]
    }
    return Promise.all(keys.map(find))
  }

  /** The rows of a small range, at most `limit`. */
  async rows(range: KeyRange, limit: number, options: LendOptions = {}): Promise<readonly Row[]> {
    for (;;) {
      const lent = this.lend(range, { limit, ...options })
      try {
        const rows = await this.step(lent, limit)
        if (rows !== undefined) return rows
      } finally {
        this.giveBack(lent)
      }
    }
  }

  /** What it sees is fixed now. @throws `IO` if the database could not be opened again */
  lend(range: KeyRange, options: LendOptions = {}): Lent {
    return this.#loans.lend(range, options, this.#isAway)
  }

  isLent(lent: Lent): boolean {
    return this.#loans.isLent(lent)
  }

  /** The next rows; `undefined` if it was taken back before it could be stepped, so that another must be borrowed. */
  step(lent: Lent, limit: number = ROWS_MOST): Promise<readonly Row[] | undefined> {
    return this.isReady ? this.#loans.step(lent, limit) : this.#stepLater(lent, limit)
  }

  /** Nobody steps it from now on; a step that is under way still gets its rows. It is closed in the background. */
  giveBack(lent: Lent): void {
    this.#loans.giveBack(lent)
  }

  /** Takes back all iterators that there are now. */
  release(): Promise<void> {
    this.#generation += 1
    return this.#loans.takeBack()
  }

  /** Reads every table that was there at opening. @throws `CORRUPT` */
  async checkTables(): Promise<void> {
    await this.#guard?.allAgain()
  }

  /** Resolves if nothing is known that would make a compaction fail. @throws `IO`, `CORRUPT` */
  async prepareToCompact(): Promise<void> {
    await this.#guard?.all()
    while (this.#exchange !== undefined) await this.#exchange
    probeCompaction(this.directory)
  }

  /** Rewrites the tables of a range, so that what was deleted is gone. @throws `IO`, `CORRUPT` */
  async compact(start: Buffer, end: Buffer): Promise<void> {
    await this.prepareToCompact()
    try {
      const compaction = this.#level.compactRange(start, end)
      this.#compactions.add(compaction)
      await compaction.finally(() => this.#compactions.delete(compaction))
    } catch (error) {
      throw fromLevel(error, 'compact', this.directory)
    }
  }

  /** A LevelDB that is being made ready for an exchange, behind the same guard. */
  on(level: Level): Database {
    return new Database(this.directory, level, this.#guard, this.#explain)
  }

  /** Closes LevelDB and goes on with what `open` gives. If that fails, the next who reads has it tried again. */
  async exchange(open: () => Promise<Level>): Promise<void> {
    const work = this.#replace(open)
    this.#exchange = work.catch(() => undefined) // the one who exchanges is told
    try {
      await work
    } finally {
      this.#exchange = undefined
    }
  }

  async close(): Promise<void> {
    await this.#guard?.stop()
    await this.#closeLevel()
  }

  async #replace(open: () => Promise<Level>): Promise<void> {
    await this.#closeLevel()
    this.#reused = undefined
    try {
      this.#level = await open()
      this.#loans = this.#loansOf(this.#level)
      this.#closedBy = undefined
    } catch (error) {
      this.#closedBy = error
      throw error
    }
    this.#isShadow = this.#level.location !== this.directory
  }

  async #closeLevel(): Promise<void> {
    await this.release()
    await Promise.allSettled(this.#compactions)
    await (this.#isShadow ? closeShadow(this.#level) : this.#level.close())
  }

  /** There is no LevelDB to read from: it is being exchanged, or the last exchange failed. */
  get #isAway(): boolean {
    return this.#exchange !== undefined || this.#closedBy !== undefined
  }

  async #whenBack(): Promise<void> {
    await this.#exchange
    if (this.#closedBy !== undefined) await this.revive?.()
  }

  async #stepLater(lent: Lent, limit: number): Promise<readonly Row[] | undefined> {
    await this.#whenBack()
    await this.#guard?.ready(lent.range)
    // Whoever takes iterators back waits for steps, but not for those that wait themselves.
    return this.#loans.isLent(lent) ? this.#loans.step(lent, limit) : undefined
  }

  #loansOf(level: Level): Loans {
    return new Loans(level, (error) => this.#failure(error))
  }

  #failure(error: unknown): StoreError {
    const reason = this.#closedBy === undefined ? error : rootCause(this.#closedBy)
    return this.#explain(reason) ?? fromLevel(reason, 'read', this.directory)
  }
}
