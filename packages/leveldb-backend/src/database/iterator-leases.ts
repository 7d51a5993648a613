import type { StoreError } from '@turnlog/core/backend'

import { HIGH_WATER_MARK_BYTES } from './iterator-step.ts'
import type { KeyRange, LeaseOptions, Lease, Row, Snapshot } from './lease.ts'
import type { Level } from './level.ts'

/**
 * The iterators and snapshots of one LevelDB that readers hold. Erasing and reopening need all of them gone, but a reader
 * may keep one open forever. So they are leases: `revokeAll` ends them, and a reader that goes on takes another.
 */
export class IteratorLeases {
  readonly #level: Level
  readonly #failure: (error: unknown) => StoreError
  readonly #leases = new Set<Lease>()
  readonly #snapshots = new Set<Snapshot>()
  /** Released, and not yet closed. */
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
  isValid(snapshot: Snapshot | undefined): boolean {
    return snapshot !== undefined && this.#snapshots.has(snapshot)
  }

  /** For LevelDB. A snapshot ends with its database, and whoever still has it goes on with what the next one has. */
  optionOf(snapshot: Snapshot | undefined): { readonly snapshot?: Snapshot } {
    return snapshot !== undefined && this.#snapshots.has(snapshot) ? { snapshot } : {}
  }

  async endSnapshot(snapshot: Snapshot | undefined): Promise<void> {
    if (snapshot !== undefined && this.#snapshots.delete(snapshot)) await snapshot.close()
  }

  /** What it sees is fixed now, or, if LevelDB is away, when it is first stepped. */
  lease(range: KeyRange, options: LeaseOptions, isDeferred: boolean): Lease {
    const lease: Lease = { range, options, iterator: undefined, reading: undefined }
    try {
      if (!isDeferred) lease.iterator = this.#iterator(lease)
    } catch (error) {
      throw this.#failure(error)
    }
    this.#leases.add(lease)
    return lease
  }

  isLeased(lease: Lease): boolean {
    return this.#leases.has(lease)
  }

  step(lease: Lease, limit: number): Promise<readonly Row[]> {
    return (lease.reading = this.#read(lease, limit))
  }

  /**
   * Nobody steps it from now on; a step that is under way still gets its rows. A reader does not wait until it is closed:
   * that is a hop of its own, as long as the one that read the rows.
   */
  release(lease: Lease): void {
    this.#leases.delete(lease)
    const closing = this.#close(lease).catch(() => undefined) // its rows were read, and nobody else needs it
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }

  /** Ends everything that is leased now. */
  async revokeAll(): Promise<void> {
    // Nobody may begin to read from a snapshot that ends as soon as the readers that there are now have stopped.
    const snapshots = [...this.#snapshots]
    this.#snapshots.clear()
    for (const lease of this.#leases) this.release(lease)
    await Promise.all(this.#closing)
    await Promise.all(snapshots.map((snapshot) => snapshot.close()))
  }

  async #close(lease: Lease): Promise<void> {
    await lease.reading?.catch(() => undefined) // whoever reads is told
    await lease.iterator?.close()
  }

  async #read(lease: Lease, limit: number): Promise<readonly Row[]> {
    try {
      lease.iterator ??= this.#iterator(lease)
      return (await lease.iterator.nextv(limit)) as readonly Row[]
    } catch (error) {
      throw this.#failure(error)
    }
  }

  #iterator({ range, options }: Lease): NonNullable<Lease['iterator']> {
    const { snapshot, ...others } = options
    return this.#level.iterator({
      fillCache: true,
      highWaterMarkBytes: HIGH_WATER_MARK_BYTES,
      ...range,
      ...others,
      ...this.optionOf(snapshot),
    } as Parameters<Level['iterator']>[0])
  }
}
