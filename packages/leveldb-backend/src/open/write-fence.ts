import { isStoreError } from '@turnlog/core/backend'
import type { StoreError } from '@turnlog/core/backend'
import { removeCompactPointers } from '@turnlog/leveldb-files'
import type { LogPreallocation, TableVerifier } from '@turnlog/leveldb-files'
import { SingleFlight } from '@turnlog/storage-kit'

import type { Database } from '../database/database.ts'
import { fromLevel } from '../database/to-store-error.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import type { Counter } from '../format/store-rows.ts'
import { cutFailedBatch, recoverWrites } from './recover-writes.ts'
import type { VerifiedTables } from './verified-tables.ts'

/** Holds the last batch that is written and acknowledged. Group commit replaces it, and nobody else. */
export interface Acknowledged {
  counter: Counter
}

export interface FenceParts {
  readonly options: CheckedOptions
  readonly database: Database
  readonly verifier: TableVerifier
  readonly verified: VerifiedTables
  readonly preallocation: LogPreallocation | undefined
  readonly acknowledged: Acknowledged
}

/**
 * Keeps batches from a LevelDB that must not get any: while tables are unchecked that a compaction would read, and after
 * a failed write until LevelDB has been reopened without it, because it would go on and lose what comes after.
 */
export class WriteFence {
  readonly #parts: FenceParts
  #bytesWritten = 0
  /** LevelDB has to be reopened. */
  #isClosed = false
  #leavesTraces = true
  readonly #reopening = new SingleFlight<void>()

  constructor(parts: FenceParts) {
    this.#parts = parts
    parts.database.revive = () => this.#checkAndReopen(false)
  }

  /** Before a batch of so many bytes. What it has to wait for, most often nothing. @throws `CORRUPT`, `IO` */
  pass(bytes: number): Promise<void> | undefined {
    const { verifier, verified, options } = this.#parts
    verifier.throwIfDamaged()
    this.#bytesWritten += bytes
    verified.written(bytes)
    // A full write buffer leads to compactions, and those read tables.
    const isUnchecked = !verifier.isDone && this.#bytesWritten > options.writeBufferBytes / 2
    return isUnchecked || this.#isClosed ? this.#checkAndReopen(isUnchecked) : undefined
  }

  /** Before the next batch LevelDB gets a fresh log, and a MANIFEST that knows only what there is. */
  closeToRemoveTraces(): void {
    this.#isClosed = true
    this.#leavesTraces = false
  }

  /**
   * After a batch that failed. It may be whole in the log all the same, but its callers are told that it is not there:
   * so it is cut off before anybody can find it. If the disk refuses even that, `pass` or `end` tries again.
   *
   * @returns what to tell the callers
   */
  closeAfter(error: unknown): StoreError {
    this.#isClosed = true
    try {
      this.#cut()
    } catch {
      // Tried again, and reported then.
    }
    return fromLevel(error, 'append', this.#parts.database.directory)
  }

  /** Resolves when nobody reopens LevelDB and nobody can: it must not stay open behind the lock. */
  async retire(): Promise<void> {
    // Reads are not waited for, and one may just be having LevelDB reopened.
    this.#parts.database.revive = undefined
    await this.#reopening.running?.catch(() => undefined) // whoever reads is told
  }

  /** After LevelDB has been closed: a failed batch that is still in its log is cut off. @throws `IO` */
  end(): void {
    if (this.#isClosed) this.#cut()
  }

  #cut(): void {
    const { database, acknowledged } = this.#parts
    cutFailedBatch(database.directory, acknowledged.counter.batches)
  }

  async #checkAndReopen(isUnchecked: boolean): Promise<void> {
    // To reopen makes tables of the logs, which can lead to a compaction as well.
    if (isUnchecked || this.#isClosed) await this.#parts.verifier.all()
    if (!this.#isClosed) return
    await this.#reopening.join(() => this.#reopen())
  }

  async #reopen(): Promise<void> {
    const { options, database, verified, preallocation, acknowledged } = this.#parts
    const { directory } = database
    await preallocation?.leave()
    await verified.settled()
    const beforeOpen = this.#leavesTraces ? () => undefined : () => removeCompactPointers(directory)
    try {
      await recoverWrites(directory, options, database, acknowledged.counter.batches, beforeOpen)
    } catch (error) {
      throw isStoreError(error) ? error : fromLevel(error, 'reopen the store', directory)
    }
    this.#isClosed = false
    this.#leavesTraces = true
    void verified.note()
  }
}
