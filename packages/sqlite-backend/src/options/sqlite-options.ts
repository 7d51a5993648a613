import {
  aBoolean,
  aDurability,
  checkBackendOptions,
  invalidOption,
  pathOf,
  wholeNumberBetween,
} from '@turnlog/core/backend'
import type { BackendOptions, BackendRules, StoreError } from '@turnlog/core/backend'

import type { SqliteDatabase } from '../database/sqlite-library.ts'

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

const PREFIX = /^(?!sqlite_)[A-Za-z_][A-Za-z0-9_]{0,62}$/i
const MAX_MS = 2 ** 31 - 1

const RULES: BackendRules = {
  path: { ...pathOf('the file of the database'), optional: true },
  database: {
    wanted: 'a Database of better-sqlite3 or a DatabaseSync of node:sqlite',
    accepts: isDatabase,
    optional: true,
  },
  durability: { ...aDurability, fallback: 'sync' },
  driver: {
    wanted: "'auto', 'node', 'better-sqlite3' or the directory of a better-sqlite3",
    accepts: (value) => typeof value === 'string' && value !== '',
    fallback: 'auto',
  },
  worker: { ...aBoolean, fallback: true },
  tablePrefix: {
    wanted: 'at most 63 letters, digits and _, not beginning with a digit or sqlite_',
    accepts: (value) => typeof value === 'string' && PREFIX.test(value),
    fallback: 'turnlog_',
  },
  waitMs: { ...wholeNumberBetween('milliseconds', 0, MAX_MS), fallback: 60_000 },
  pollMs: { ...wholeNumberBetween('milliseconds', 1, MAX_MS), fallback: 20 },
}

/** @throws `INVALID_CONFIG` */
export function checkOptions(options: BackendOptions | SqliteOptions): CheckedOptions {
  const given = options as BackendOptions
  const checked = checkBackendOptions('sqlite', given, RULES) as CheckedOptions
  if (checked.database === undefined) checkPath(checked.path)
  else refuseBesideDatabase(given)
  return checked
}

/** What SQLite would understand and nobody meant, or what nobody could find again. */
function checkPath(path: string | undefined): void {
  const refuse = (advice: string): StoreError => invalidOption('sqlite', 'path', path, advice)
  if (path === undefined) throw refuse('Give the file of the database')
  if (path === ':memory:') {
    throw refuse('A database in memory keeps nothing; use the memory backend, or give a file')
  }
  if (/^file:/i.test(path)) throw refuse('Give a plain path, not an address')
  if (path.startsWith('//')) throw refuse('Write sqlite:./relative.db or sqlite:/absolute.db, without two slashes')
  if (/[\\/]$/.test(path)) throw refuse('Give a file, not a directory')
}

function refuseBesideDatabase(given: BackendOptions): void {
  for (const name of ['path', 'driver', 'worker']) {
    if (given[name] === undefined) continue
    throw invalidOption('sqlite', name, given[name], 'It means nothing beside database')
  }
}

function isDatabase(value: unknown): boolean {
  const methods = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  return ['prepare', 'exec', 'close'].every((name) => typeof methods[name] === 'function')
}
