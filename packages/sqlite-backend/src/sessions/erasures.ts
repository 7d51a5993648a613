import { setTimeout } from 'node:timers/promises'

import { StoreError } from '@turnlog/core/backend'

import { isBusy } from '../database/failure-of.ts'
import { waitWhileBusy } from '../database/wait-while-busy.ts'
import { readMeta, writeMeta } from '../format/meta-rows.ts'
import type { SqliteStore } from '../open/sqlite-store.ts'
import type { Snapshots } from '../read/snapshots.ts'
import { findSession } from '../read/find-session.ts'

/** The row that says that erased sessions have left bytes behind: a number that each erasure changes. */
const PENDING = 'erasures'
/** Up to this size the new database is put together in memory. */
const MAX_IN_MEMORY = 64 * 1024 * 1024
const RETRY_MS = 20

interface Checkpoint {
  readonly busy: number
}

/**
 * Removes sessions with every byte. SQLite only forgets rows: copies of them stay in free space, in pages that were
 * split, and in the log. So the database is written anew and its log emptied, once for all erasures that wait.
 */
export class Erasures {
  readonly #store: SqliteStore
  readonly #snapshots: Snapshots
  #rewriting: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(store: SqliteStore, snapshots: Snapshots) {
    this.#store = store
    this.#snapshots = snapshots
  }

  /**
   * @returns the version that was found if it is another one; nothing has changed then
   * @throws `IO` if readers elsewhere do not let the bytes go. The session is gone then, and the next opening, erasure
   * or reclaim finishes it.
   */
  async erase(session: string, expectedLast: number): Promise<number | undefined> {
    const { database, tables } = this.#store
    const actual = await this.#store.write(() => {
      const found = findSession(database, tables, session)
      const last = found?.last ?? 0
      if (last !== expectedLast || found === undefined) return last
      database.run(
        `DELETE FROM ${tables.events} WHERE at BETWEEN (? << 32) AND ((? << 32) | 4294967295)`,
        found.id,
        found.id,
      )
      database.run(`DELETE FROM ${tables.sessions} WHERE id = ?`, found.id)
      writeMeta(database, tables, PENDING, String(Number(readMeta(database, tables, PENDING) ?? 0) + 1))
      return last
    })
    if (actual !== expectedLast) return actual
    await this.finish()
    return undefined
  }

  /** Whether bytes of erased sessions are still there. */
  async isPending(): Promise<boolean> {
    return (await this.#readPending()) !== undefined
  }

  /** Whoever asks while the database is being written anew waits for the next time, which sees what was deleted since. */
  async finish(): Promise<void> {
    if (!(await this.isPending())) return
    if (this.#rewriting === undefined) {
      this.#rewriting = this.#finish().finally(() => {
        this.#rewriting = undefined
      })
      return this.#rewriting
    }
    this.#next ??= this.#rewriting
      .catch(() => undefined) // who waits for it is told
      .then(() => {
        this.#next = undefined
        return this.finish()
      })
    return this.#next
  }

  /** Writes the database anew without its free space, and empties its log. */
  async rewrite(): Promise<void> {
    const { database, waitMs } = this.#store
    const { page_count: pages = 0 } = database.get<{ page_count: number }>('PRAGMA page_count') ?? {}
    const { page_size: size = 0 } = database.get<{ page_size: number }>('PRAGMA page_size') ?? {}
    this.#snapshots.takeBackAll()
    if (this.#store.path !== undefined) {
      database.exec(`PRAGMA temp_store = ${pages * size <= MAX_IN_MEMORY ? 'MEMORY' : 'DEFAULT'}`)
    }
    await waitWhileBusy(() => database.exec('VACUUM'), waitMs)
    await this.#emptyLog()
  }

  async #finish(): Promise<void> {
    const { database, tables } = this.#store
    for (;;) {
      const pending = await this.#readPending()
      if (pending === undefined) return
      await this.rewrite()
      const isDone = await this.#store.write(() => {
        if (readMeta(database, tables, PENDING) !== pending) return false // somebody has erased meanwhile
        database.run(`DELETE FROM ${tables.meta} WHERE key = ?`, PENDING)
        return true
      })
      if (isDone) return
    }
  }

  /** A reader that sees an older state, here or in another process, keeps the log from being emptied. */
  async #emptyLog(): Promise<void> {
    const { waitMs } = this.#store
    const deadline = performance.now() + waitMs
    for (;;) {
      this.#snapshots.takeBackAll()
      if (this.#isLogEmptied()) return
      if (performance.now() > deadline) break
      await setTimeout(RETRY_MS)
    }
    throw new StoreError(
      'IO',
      'What was erased is deleted, but its bytes are still in the database: another process has been reading it for too ' +
        'long. They are removed by the next erasure, opening or reclaim, once that process has ended its transaction.',
    )
  }

  #isLogEmptied(): boolean {
    try {
      return this.#store.database.get<Checkpoint>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  #readPending(): Promise<string | undefined> {
    const { database, tables } = this.#store
    return this.#store.read(() => readMeta(database, tables, PENDING))
  }
}
