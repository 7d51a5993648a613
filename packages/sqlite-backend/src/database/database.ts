import { StoreError } from '@turnlog/core/backend'

import type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-library.ts'

/** Fixed in 3.51.3, and in later versions of two older branches. */
const FIRST_SAFE = [3, 51, 3] as const
const SAFE_BRANCHES = [
  [3, 44, 6],
  [3, 50, 7],
] as const

/** One connection, with its statements prepared once. */
export class Database {
  #raw: SqliteDatabase
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(raw: SqliteDatabase) {
    this.#raw = raw
  }

  // eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the row is what the SQL says
  get<Row>(sql: string, ...values: readonly SqliteValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: readonly SqliteValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[]
  }

  /** @returns the rowid of the row that was inserted last */
  run(sql: string, ...values: readonly SqliteValue[]): number {
    return Number(this.#prepared(sql).run(...values).lastInsertRowid)
  }

  exec(sql: string): void {
    this.#raw.exec(sql)
  }

  /** What `work` reads is of one moment. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work)
  }

  /** Nothing is upgraded from reading to writing: SQLite would refuse that wherever somebody wrote in between. */
  write<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work)
  }

  begin(): void {
    this.run('BEGIN')
  }

  /** Ends a transaction if there is one; SQLite ends some itself. */
  rollback(): void {
    try {
      this.run('ROLLBACK')
    } catch {
      // there was none any more
    }
  }

  /** Goes on with another connection. */
  replace(raw: SqliteDatabase): void {
    this.close()
    this.#raw = raw
  }

  close(): void {
    this.#statements.clear()
    this.#raw.close()
  }

  /** @throws `UNSUPPORTED` if several connections could damage a database with this version of SQLite */
  checkVersion(library: string): void {
    const { version = '' } = this.get<{ version: string }>('SELECT sqlite_version() AS version') ?? {}
    if (isSafe(version)) return
    throw new StoreError(
      'UNSUPPORTED',
      `SQLite ${version} (of ${library}) can damage a database that several processes write: a checkpoint may pass over ` +
        'commits when the log begins anew (https://sqlite.org/wal.html#walresetbug). It is fixed in 3.51.3: use Node 22.23 ' +
        'or later, or better-sqlite3 12.8 or later.',
    )
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.run(begin)
    try {
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  #prepared(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#raw.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

function isSafe(version: string): boolean {
  const found = version.split('.').map(Number)
  const [major = 0, minor = 0, patch = 0] = found
  if (SAFE_BRANCHES.some(([a, b, c]) => major === a && minor === b && patch >= c)) return true
  const [a, b, c] = FIRST_SAFE
  return major > a || (major === a && (minor > b || (minor === b && patch >= c)))
}
