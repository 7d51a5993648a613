import { StoreError } from '@turnlog/core/backend'
import { probeCompaction } from '@turnlog/leveldb-files'
import type { TableVerifier } from '@turnlog/leveldb-files'

import { MAX_ROWS } from './iterator-step.ts'
import type { KeyRange, LeaseOptions, Lease, Row, Snapshot } from './lease.ts'
import { fromLevel, rootCause } from './to-store-error.ts'
import type { Level } from './level.ts'
import { closeShadow } from './level.ts'
import { IteratorLeases } from './iterator-leases.ts'
import { ReusedBatch } from './reused-batch.ts'

export type WriteBatch = ReturnType<Level['batch']>

/**
 * LevelDB behind the few things that are safe to ask of it. On a damaged table `get` can end the process, and with a
 * damaged filter it misses keys, so the verifier must have checked the tables before.
 *
 * The LevelDB below can be exchanged; reads wait meanwhile. Iterators are leases: `revokeLeases` ends them all, and a
 * `Cursor` takes another when it goes on.
 */
export class Database {
  readonly directory: string
  /** Tries the exchange again, when somebody reads after one has failed; may be called by many at once. */
  revive: (() => Promise<void>) | undefined
  #level: Level
  #leases: IteratorLeases
  #reused: ReusedBatch | undefined
  #isShadow: boolean
  readonly #verifier: TableVerifier | undefined
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
    verifier?: TableVerifier,
    explain: (cause: unknown) => StoreError | undefined = () => undefined,
  ) {
    this.directory = directory
    this.#level = level
    this.#leases = this.#leasesOf(level)
    this.#isShadow = level.location !== directory
    this.#verifier = verifier
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
    return this.#isAway ? undefined : this.#leases.snapshot()
  }

  /** Another one whenever all leases were revoked: only in between can a session have ended and begun again. */
  get generation(): number {
    return this.#generation
  }

  /** Whether what is asked for is seen as it is now. If not, LevelDB is asked later. */
  get isReady(): boolean {
    return !this.#isAway && (this.#verifier === undefined || this.#verifier.isDone)
  }

  /** Whether it has not ended: then all that was read from it so far is of one time. */
  isValid(snapshot: Snapshot | undefined): boolean {
    return this.#leases.isValid(snapshot)
  }

  endSnapshot(snapshot: Snapshot | undefined): Promise<void> {
    return this.#leases.endSnapshot(snapshot)
  }

  /**
   * The values of some keys. Cheaper than an iterator, whose native half also stays until the garbage collector has come
   * twice: with one for each new session those made up half of its longest pause.
   */
  async values(keys: readonly Buffer[], snapshot?: Snapshot): Promise<readonly (Buffer | undefined)[]> {
    if (this.#isAway) await this.#whenBack()
    if (this.#verifier?.isDone === false) return this.#valuesOfRows(keys, snapshot)
    try {
      return await this.#level.getMany([...keys], this.#leases.optionOf(snapshot))
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
  async rows(range: KeyRange, limit: number, options: LeaseOptions = {}): Promise<readonly Row[]> {
    for (;;) {
      const lease = this.lease(range, { limit, ...options })
      try {
        const rows = await this.step(lease, limit)
        if (rows !== undefined) return rows
      } finally {
        this.release(lease)
      }
    }
  }

  /** What it sees is fixed now. @throws `IO` if the database could not be opened again */
  lease(range: KeyRange, options: LeaseOptions = {}): Lease {
    return this.#leases.lease(range, options, this.#isAway)
  }

  isLeased(lease: Lease): boolean {
    return this.#leases.isLeased(lease)
  }

  /** The next rows; `undefined` if it was revoked before it could be stepped, so that another must be taken. */
  step(lease: Lease, limit: number = MAX_ROWS): Promise<readonly Row[] | undefined> {
    return this.isReady ? this.#leases.step(lease, limit) : this.#stepLater(lease, limit)
  }

  /** Nobody steps it from now on; a step that is under way still gets its rows. It is closed in the background. */
  release(lease: Lease): void {
    this.#leases.release(lease)
  }

  /** Ends all iterators and snapshots that there are now. */
  revokeLeases(): Promise<void> {
    this.#generation++
    return this.#leases.revokeAll()
  }

  /** Reads every table that was there at opening. @throws `CORRUPT` */
  async checkTables(): Promise<void> {
    await this.#verifier?.allAgain()
  }

  /** Resolves if nothing is known that would make a compaction fail. @throws `IO`, `CORRUPT` */
  async prepareToCompact(): Promise<void> {
    await this.#verifier?.all()
    while (this.#exchange !== undefined) await this.#exchange
    try {
      probeCompaction(this.directory)
    } catch (error) {
      const what = `Cannot compact in ${this.directory}: there is no room for it, or no more files may be opened.`
      throw new StoreError('IO', `${what} See the cause.`, { cause: error })
    }
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

  /** A LevelDB that is being made ready for an exchange, behind the same verifier. */
  on(level: Level): Database {
    return new Database(this.directory, level, this.#verifier, this.#explain)
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
    await this.#verifier?.stop()
    await this.#closeLevel()
  }

  async #replace(open: () => Promise<Level>): Promise<void> {
    await this.#closeLevel()
    this.#reused = undefined
    try {
      this.#level = await open()
      this.#leases = this.#leasesOf(this.#level)
      this.#closedBy = undefined
    } catch (error) {
      this.#closedBy = error
      throw error
    }
    this.#isShadow = this.#level.location !== this.directory
  }

  async #closeLevel(): Promise<void> {
    await this.revokeLeases()
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

  async #stepLater(lease: Lease, limit: number): Promise<readonly Row[] | undefined> {
    await this.#whenBack()
    await this.#verifier?.ready(lease.range)
    // Whoever revokes leases waits for steps, but not for those that wait themselves.
    return this.#leases.isLeased(lease) ? this.#leases.step(lease, limit) : undefined
  }

  #leasesOf(level: Level): IteratorLeases {
    return new IteratorLeases(level, (error) => this.#failure(error))
  }

  #failure(error: unknown): StoreError {
    const reason = this.#closedBy === undefined ? error : rootCause(this.#closedBy)
    return this.#explain(reason) ?? fromLevel(reason, 'read', this.directory)
  }
}
