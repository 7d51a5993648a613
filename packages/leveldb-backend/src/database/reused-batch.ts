import { BATCH_HEADER_BYTES, entryBytes, logBytes } from '@turnlog/leveldb-files'

import type { Level } from './level.ts'

/** What abstract-level defines for those who implement a batch, and its public methods call. */
interface NativeBatch {
  _put(key: Buffer, value: Buffer): void
  _del(key: Buffer): void
  _clear(): void
  _write(options: { readonly sync: boolean }): Promise<void>
  close(): Promise<void>
}

/** Beyond this its memory is given back instead of kept. Segments that are sealed come on top of what a group may hold. */
const KEPT_BYTES = 8 * 1024 * 1024

/**
 * One native batch for all writes of a database, one after the other.
 *
 * A batch of classic-level can be written once, and its memory is freed when the garbage collector finds it, in a full
 * collection only: under load a hundred of them, 50 MB, waited for that. The public methods allow no second write, so
 * the ones below them are called (docs/decisions/0003).
 */
export class ReusedBatch {
  readonly #level: Level
  #batch: NativeBatch | undefined
  #bytes = BATCH_HEADER_BYTES

  constructor(level: Level) {
    this.#level = level
  }

  put(key: Buffer, value: Buffer): void {
    this.#bytes += entryBytes(key, value)
    this.#native()._put(key, value)
  }

  del(key: Buffer): void {
    this.#bytes += entryBytes(key)
    this.#native()._del(key)
  }

  /** What it takes in the log, at most. */
  get logBytes(): number {
    return logBytes(this.#bytes)
  }

  /** Writes what was added and is empty again, also if that fails. */
  async write(sync: boolean): Promise<void> {
    const batch = this.#native()
    try {
      await batch._write({ sync })
    } finally {
      if (this.#bytes > KEPT_BYTES) await this.#drop(batch)
      else batch._clear()
      this.#bytes = BATCH_HEADER_BYTES
    }
  }

  /** The database knows of each batch until it is closed, and would keep it. */
  async #drop(batch: NativeBatch): Promise<void> {
    this.#batch = undefined
    await batch.close()
  }

  #native(): NativeBatch {
    return (this.#batch ??= this.#level.batch() as unknown as NativeBatch)
  }
}
