import type { Database } from '../database/database.ts'
import type { Snapshot } from '../database/lease.ts'

/**
 * The time from which a read comes. It is over when an erasure or a reopening takes back all snapshots and iterators:
 * what is asked for after that is what there is then, and the session may have been erased and begun again.
 */
export class ReadEpoch {
  /** For rows that are asked for later. */
  readonly snapshot: Snapshot | undefined
  readonly #database: Database
  readonly #generation: number

  constructor(database: Database, withSnapshot: boolean) {
    this.#database = database
    this.#generation = database.generation
    this.snapshot = withSnapshot ? database.snapshot() : undefined
  }

  /** Whether rows that are asked for now may be newer. */
  get isOver(): boolean {
    return !this.#database.isReady || this.#database.generation !== this.#generation
  }

  end(): Promise<void> {
    return this.#database.endSnapshot(this.snapshot)
  }
}
