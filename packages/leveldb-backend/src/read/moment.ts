import type { Database } from '../database/database.ts'
import type { Snapshot } from '../database/lent.ts'

/**
 * When a read begins. It ends with an erasure or a reopening, which take all snapshots and iterators back: what is asked
 * for after that is what there is then, and the session may have been erased and begun anew.
 */
export class Moment {
  /** For what is not asked for at once. */
  readonly snapshot: Snapshot | undefined
  readonly #database: Database
  readonly #era: number

  constructor(database: Database, withSnapshot: boolean) {
    this.#database = database
    this.#era = database.era
    this.snapshot = withSnapshot ? database.snapshot() : undefined
  }

  /** Whether what is asked for now may be seen as it is later. */
  get isOver(): boolean {
    return !this.#database.isReady || this.#database.era !== this.#era
  }

  end(): Promise<void> {
    return this.#database.endSnapshot(this.snapshot)
  }
}
