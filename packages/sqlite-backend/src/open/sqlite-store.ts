import type { OpenReport } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { waitWhileBusy } from '../database/wait-while-busy.ts'
import { writeMeta } from '../format/meta-rows.ts'
import type { Tables } from '../format/tables.ts'

export interface StoreParts {
  readonly database: Database
  readonly tables: Tables
  readonly path: string | undefined
  readonly waitMs: number
  readonly report: OpenReport
  readonly connect: (() => Database) | undefined
  readonly beforeRead?: (() => void) | undefined
  readonly close: () => void
}

/** An opened store: its connection, and who may do what on it when. */
export class SqliteStore {
  readonly database: Database
  readonly tables: Tables
  /** `undefined` if the connection is the caller's. */
  readonly path: string | undefined
  readonly waitMs: number
  readonly report: OpenReport
  /** Another connection, to be closed by who asked; `undefined` if the only one is the caller's. */
  readonly connect: (() => Database) | undefined
  /** Closes the connection, unless it is the caller's. */
  readonly close: () => void
  readonly #beforeRead: (() => void) | undefined
  /** A commit failed, and what it wrote is still in the log of the database. */
  #isUnsettled = false
  #lastBusy = 0

  constructor({ database, tables, path, waitMs, report, connect, beforeRead, close }: StoreParts) {
    this.database = database
    this.tables = tables
    this.path = path
    this.waitMs = waitMs
    this.report = report
    this.connect = connect
    this.#beforeRead = beforeRead
    this.close = close
  }

  /** Whether another process wanted to write at the same time, a moment ago. */
  get isContended(): boolean {
    return performance.now() - this.#lastBusy < 100
  }

  /** What `work` reads is of one moment. */
  read<T>(work: () => T): Promise<T> {
    return waitWhileBusy(() => {
      this.#beforeRead?.()
      this.#settle()
      return this.database.read(work)
    }, this.waitMs)
  }

  /** A transaction. What `work` throws undoes it. */
  write<T>(work: () => T): Promise<T> {
    return waitWhileBusy(
      () => {
        this.#settle()
        let isWritten = false
        try {
          return this.database.write(() => {
            const result = work()
            isWritten = true
            return result
          })
        } catch (error) {
          if (isWritten) this.#isUnsettled = true // the commit itself failed
          throw error
        }
      },
      this.waitMs,
      () => {
        this.#lastBusy = performance.now()
      },
    )
  }

  /**
   * SQLite takes a failed commit back in memory and leaves it in its log, where a crash would bring it back although
   * everybody was told since that it is not there. The next commit overwrites it, so there has to be one first.
   */
  #settle(): void {
    if (!this.#isUnsettled) return
    this.database.write(() => writeMeta(this.database, this.tables, 'settled', String(Date.now())))
    this.#isUnsettled = false
  }
}
