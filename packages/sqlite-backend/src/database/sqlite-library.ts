/** What `node:sqlite` and `better-sqlite3` have in common, and all that is used of them. */
export interface SqliteStatement {
  run(...values: readonly SqliteValue[]): { readonly lastInsertRowid: number | bigint }
  get(...values: readonly SqliteValue[]): unknown
  all(...values: readonly SqliteValue[]): unknown[]
}

/** A `DatabaseSync` of `node:sqlite` or a `Database` of `better-sqlite3`. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  close(): unknown
}

export type SqliteValue = string | number | null

export interface SqliteLibrary {
  readonly name: string
  open(file: string, options: { readonly readOnly: boolean }): SqliteDatabase
}
