import type { StoreError } from '@turnlog/core/backend'

import { HIGH_WATER_MARK_BYTES } from './iterator-step.ts'
import type { KeyRange, LendOptions, Lent, Row, Snapshot } from './lent.ts'
import type { Level } from './level.ts'

/**
 * The iterators and snapshots of one LevelDB that somebody has. Erasing and reopening need all of them gone, but a
 * consumer may leave one standing for ever. So they are lent: `takeBack` ends them all, and whoever goes on borrows anew.
 */
export class Loans {
  readonly #level: Level
  readonly #failure: (error: unknown) => StoreError
  readonly #lent = new Set<Lent>()
  readonly #snapshots = new Set<Snapshot>()
  /** Given back, and not yet closed. */
  readonly #closing = new Set<Promise<void>>()

  /** `failure` makes of LevelDB's error what a reader is told. */
  constructor(level: Level, failure: (error: unknown) => StoreError) {
    this.#level = level
    this.#failure = failure
  }

  snapshot(): Snapshot {
    const snapshot = this.#level.snapshot()
    this.#snapshots.add(snapshot)
    return snapshot
  }

  /** Whether it has not ended. */
  holds(snapshot: Snapshot | undefined): boolean {
    return snapshot !== undefined && this.#snapshots.has(snapshot)
  }

  /** For LevelDB. A snapshot ends with its database, and whoever still has it goes on with what the next one has. */
  valid(snapshot: Snapshot | undefined): { readonly snapshot?: Snapshot } {
    return snapshot !== undefined && this.#snapshots.has(snapshot) ? { snapshot } : {}
  }

  async endSnapshot(snapshot: Snapshot | undefined): Promise<void> {
    if (snapshot !== undefined && this.#snapshots.delete(snapshot)) await snapshot.close()
  }

  /** What it sees is fixed now, or if it is lent for later, when it is first stepped. */
  lend(range: KeyRange, options: LendOptions, isForLater: boolean): Lent {
    const lent: Lent = { range, options, iterator: undefined, reading: undefined }
    try {
      if (!isForLater) lent.iterator = this.#iterator(lent)
    } catch (error) {
      throw this.#failure(error)
    }
    this.#lent.add(lent)
    return lent
  }

  isLent(lent: Lent): boolean {
    return this.#lent.has(lent)
  }

  step(lent: Lent, limit: number): Promise<readonly Row[]> {
    return (lent.reading = this.#read(lent, limit))
  }

  /**
   * Nobody steps it from now on; a step that is under way still gets its rows. A reader does not wait until it is closed:
   * that is a hop of its own, as long as the one that read the rows.
   */
  giveBack(lent: Lent): void {
    this.#lent.delete(lent)
    const closing = this.#close(lent).catch(() => undefined) // its rows were read, and nobody else needs it
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }

  /** Takes back everything that is on loan now. */
  async takeBack(): Promise<void> {
    // Nobody may begin to read from a snapshot that ends as soon as the readers that there are now have stopped.
    const snapshots = [...this.#snapshots]
    this.#snapshots.clear()
    for (const lent of this.#lent) this.giveBack(lent)
    await Promise.all(this.#closing)
    await Promise.all(snapshots.map((snapshot) => snapshot.close()))
  }

  async #close(lent: Lent): Promise<void> {
    await lent.reading?.catch(() => undefined) // whoever reads is told
    await lent.iterator?.close()
  }

  async #read(lent: Lent, limit: number): Promise<readonly Row[]> {
    try {
      lent.iterator ??= this.#iterator(lent)
      return (await lent.iterator.nextv(limit)) as readonly Row[]
    } catch (error) {
      throw this.#failure(error)
    }
  }

  #iterator({ range, options }: Lent): NonNullable<Lent['iterator']> {
    const { snapshot, ...others } = options
    return this.#level.iterator({
      fillCache: true,
      highWaterMarkBytes: HIGH_WATER_MARK_BYTES,
      ...range,
      ...others,
      ...this.valid(snapshot),
    } as Parameters<Level['iterator']>[0])
  }
}
