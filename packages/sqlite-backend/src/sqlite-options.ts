import { StoreError } from '@turnlog/core/backend'
import type { BackendOptions } from '@turnlog/core/backend'

import type { SqliteDatabase } from './database/sqlite-library.ts'

/** How a store in SQLite is kept. */
export interface SqliteOptions {
  /**
   * The database file. It is made, with the directories above it, if it is missing. It may hold tables of yours beside
   * Turnlog's, which all begin with `tablePrefix`. Needed unless `database` is given.
   */
  readonly path?: string
  /**
   * A connection of yours, of `node:sqlite` or `better-sqlite3`, in place of `path`. Everything then runs on your thread
   * and holds it up: a durable append for as long as the disk takes. It must not be inside a transaction of yours while
   * the store works. It is not closed with the store. Cannot be given by name.
   */
  readonly database?: SqliteDatabase
  /**
   * What an acknowledged append survives: `sync` a power failure (`synchronous = FULL`), `os` the death of the process
   * (`NORMAL`). `sync` costs one flush of the disk per group of appends, `os` none.
   * @default 'sync'
   */
  readonly durability?: 'sync' | 'os'
  /**
   * Which SQLite: `node` is `node:sqlite`, `better-sqlite3` the installed package, `auto` the first of these that is
   * there. Anything else is the directory of a better-sqlite3 that cannot be found from here, as in a bundle.
   * @default 'auto'
   */
  readonly driver?: string
  /**
   * Work in a thread of its own, so that no disk holds up your event loop. Without it a call from one caller takes 30 to
   * 50 microseconds less, and every append blocks the process until it is on the disk.
   * @default true
   */
  readonly worker?: boolean
  /** What the names of all tables, views and indexes begin with: letters, digits and `_`. @default 'turnlog_' */
  readonly tablePrefix?: string
  /** How long a write waits for other processes before it is `IO`. @default 60000 */
  readonly waitMs?: number
  /**
   * How often is looked for writes of other processes while somebody watches; ten times as seldom while nothing comes.
   * Every 20 ms take about 0.7 % of a core. @default 20
   */
  readonly pollMs?: number
}

declare module '@turnlog/core/backend' {
  interface BackendRegistry {
    sqlite: Omit<SqliteOptions, 'database'>
  }
}

export type CheckedOptions = Required<Omit<SqliteOptions, 'path' | 'database'>> & {
  readonly path: string | undefined
  readonly database: SqliteDatabase | undefined
}

const KNOWN = new Set(['path', 'database', 'durability', 'driver', 'worker', 'tablePrefix', 'waitMs', 'pollMs'])
const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const MAX_MS = 2 ** 31 - 1

/** @throws `INVALID_CONFIG` */
export function checkOptions(options: BackendOptions | SqliteOptions): CheckedOptions {
  const given: BackendOptions = { ...(options as BackendOptions) }
  for (const name of Object.keys(given)) {
    if (!KNOWN.has(name))
      throw new StoreError('INVALID_CONFIG', `The SQLite backend has no option ${JSON.stringify(name)}.`)
  }
  const { path, durability = 'sync' } = given
  const { driver = 'auto', worker = true, tablePrefix = 'turnlog_', database } = given
  if (database === undefined) checkPath(path)
  else checkDatabase(database, given)
  if (durability !== 'sync' && durability !== 'os') throw invalid('durability', durability, "Use 'sync' or 'os'")
  if (typeof driver !== 'string' || driver === '') {
    throw invalid('driver', driver, "Use 'auto', 'node', 'better-sqlite3' or the directory of a better-sqlite3")
  }
  if (typeof worker !== 'boolean') throw invalid('worker', worker, 'Use true or false')
  if (typeof tablePrefix !== 'string' || !PREFIX.test(tablePrefix) || tablePrefix.toLowerCase().startsWith('sqlite_')) {
    throw invalid(
      'tablePrefix',
      tablePrefix,
      'Use at most 63 letters, digits and _, not beginning with a digit or sqlite_',
    )
  }
  return {
    path: database === undefined ? path : undefined,
    database: database as SqliteDatabase | undefined,
    durability,
    driver,
    worker,
    tablePrefix,
    waitMs: milliseconds('waitMs', given['waitMs'] ?? 60_000, 0),
    pollMs: milliseconds('pollMs', given['pollMs'] ?? 20, 1),
  }
}

/** What SQLite would understand and nobody meant, or what nobody could find again. */
function checkPath(path: string | undefined): void {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw invalid('path', path, 'Give the file of the database')
  }
  if (path === ':memory:') {
    throw invalid('path', path, 'A database in memory keeps nothing; use the memory backend, or give a file')
  }
  if (/^file:/i.test(path)) throw invalid('path', path, 'Give a plain path, not an address')
  if (path.startsWith('//')) {
    throw invalid('path', path, 'Write sqlite:./relative.db or sqlite:/absolute.db, without two slashes')
  }
  if (/[\\/]$/.test(path)) throw invalid('path', path, 'Give a file, not a directory')
}

function checkDatabase(database: unknown, given: BackendOptions): void {
  for (const name of ['path', 'driver', 'worker']) {
    if (given[name] === undefined) continue
    throw new StoreError('INVALID_CONFIG', `The option ${name} of the SQLite backend means nothing beside database.`)
  }
  const methods = typeof database === 'object' && database !== null ? (database as Record<string, unknown>) : {}
  if (['prepare', 'exec', 'close'].every((name) => typeof methods[name] === 'function')) return
  throw new StoreError(
    'INVALID_CONFIG',
    'The option database of the SQLite backend must be a Database of better-sqlite3 or a DatabaseSync of node:sqlite.',
  )
}

function milliseconds(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= MAX_MS) return value
  throw invalid(name, value, `Use a whole number of milliseconds from ${least}`)
}

function invalid(name: string, value: unknown, advice: string): StoreError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return new StoreError('INVALID_CONFIG', `The option ${name} of the SQLite backend is ${shown}. ${advice}.`)
}
