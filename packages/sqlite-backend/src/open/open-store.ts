import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import type { OpenFinding } from '@turnlog/core/backend'

import { Database } from '../database/database.ts'
import { failureOf } from '../database/failure-of.ts'
import { loadLibrary } from '../database/load-library.ts'
import type { SqliteDatabase, SqliteLibrary } from '../database/sqlite-library.ts'
import { waitWhileBusy } from '../database/wait-while-busy.ts'
import { corrupt } from '../format/corrupt.ts'
import { Tables } from '../format/tables.ts'
import { checkPlace } from './check-place.ts'
import { CrashView } from './crash-view.ts'
import { inspectLog } from './inspect-log.ts'
import { makeFile } from './make-file.ts'
import { SqliteStore } from './sqlite-store.ts'
import type { StoreParts } from './sqlite-store.ts'
import { findStore, makeStore } from './store-schema.ts'
import { refuseUnfinishedRepair } from './unfinished-repair.ts'

/** Plain data, so that it can be handed to a thread. */
export interface StoreOptions {
  readonly path: string
  readonly durability: 'sync' | 'os'
  readonly driver: string
  readonly tablePrefix: string
  readonly waitMs: number
  readonly readOnly: boolean
}

type Place = Omit<StoreParts, 'database' | 'tables' | 'waitMs' | 'report'> & {
  readonly findings: readonly OpenFinding[]
}
type ConnectionOptions = Pick<StoreOptions, 'durability' | 'tablePrefix' | 'waitMs' | 'readOnly'>

/** What the log keeps on the disk when it is empty; it grows with what is written between two checkpoints. */
const MAX_IDLE_LOG_BYTES = 16 * 1024 * 1024

/** @throws `INVALID_CONFIG`, `NOT_FOUND`, `CORRUPT`, `UNSUPPORTED` */
export async function openStore(options: StoreOptions): Promise<SqliteStore> {
  const library = loadLibrary(options.driver)
  const path = resolve(options.path)
  checkPlace(path)
  refuseUnfinishedRepair(path)
  if (options.readOnly && !existsSync(path)) throw noStore(path)
  refuseLostFile(path)
  if (!options.readOnly) makeFile(path)
  const findings = await inspectLog(path, options.durability)
  const view = options.readOnly && hasLeftovers(path) ? CrashView.of(path) : undefined
  let database: Database | undefined
  try {
    database = await waitWhileBusy(() => connectTo(library, view?.file ?? path, options), options.waitMs)
    database.checkVersion(library.name)
    const access =
      view === undefined ? accessTo(library, path, database, options) : viewOf(view, library, path, database)
    return await prepare(database, options, { path, findings, ...access })
  } catch (error) {
    database?.close()
    view?.remove()
    if (failureOf(error) === 'NOTADB' && !looksLikeOurs(path, options.tablePrefix)) {
      throw new StoreError('INVALID_CONFIG', `${path} is not a SQLite database. Choose another file.`, { file: path })
    }
    throw error
  }
}

type Access = Pick<Place, 'connect' | 'beforeRead' | 'close'>

function accessTo(library: SqliteLibrary, path: string, database: Database, options: ConnectionOptions): Access {
  return { connect: () => connectTo(library, path, options), close: () => database.close() }
}

/** As long as nobody writes to the store; then on the store itself. */
function viewOf(view: CrashView, library: SqliteLibrary, path: string, database: Database): Access {
  let isView = true
  const beforeRead = (): void => {
    if (!isView || !view.isStale) return
    isView = false
    database.replace(library.open(path, { readOnly: hasLog(path) }))
    database.exec('PRAGMA busy_timeout = 0; PRAGMA query_only = ON')
    view.remove()
  }
  const close = (): void => {
    database.close()
    view.remove()
  }
  return { connect: undefined, beforeRead, close }
}

/** On a connection of the caller, which stays theirs. */
export async function openStoreOn(raw: SqliteDatabase, options: ConnectionOptions): Promise<SqliteStore> {
  const database = new Database(raw)
  database.checkVersion('the database that was given')
  return prepare(database, options, { path: undefined, connect: undefined, findings: [], close: () => undefined })
}

async function prepare(
  database: Database,
  options: ConnectionOptions,
  { findings, ...place }: Place,
): Promise<SqliteStore> {
  const tables = new Tables(options.tablePrefix)
  const { waitMs, readOnly } = options
  let created = false
  const isThere = await waitWhileBusy(() => database.read(() => findStore(database, tables)), waitMs)
  if (!isThere && readOnly) throw noStore(place.path)
  if (!readOnly) {
    await waitWhileBusy(() => useLog(database, options.durability), waitMs)
    if (!isThere) {
      created = await waitWhileBusy(
        () =>
          database.write(() => {
            if (findStore(database, tables)) return false
            makeStore(database, tables)
            return true
          }),
        waitMs,
      )
    }
  }
  return new SqliteStore({ ...place, database, tables, waitMs, report: { created, findings } })
}

/** The write-ahead log, and how far a commit goes. Only what is not so already is changed: it may be a caller's. */
function useLog(database: Database, durability: 'sync' | 'os'): void {
  const mode = (): string | undefined => database.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode
  if (mode() !== 'wal') {
    database.exec('PRAGMA journal_mode = WAL')
    if (mode() !== 'wal') {
      throw new StoreError(
        'INVALID_CONFIG',
        'This database cannot have a write-ahead log (journal_mode = WAL). Use a file on a local disk.',
      )
    }
  }
  const { synchronous = 0 } = database.get<{ synchronous: number }>('PRAGMA synchronous') ?? {}
  if (durability === 'sync' && synchronous < 2) database.exec('PRAGMA synchronous = FULL')
  if (process.platform === 'darwin') database.exec('PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1')
}

function connectTo(library: SqliteLibrary, path: string, { durability, readOnly }: ConnectionOptions): Database {
  // Opened to read only, SQLite leaves the files of its log behind; so that is done only where they are there already.
  const database = new Database(library.open(path, { readOnly: readOnly && hasLog(path) }))
  try {
    database.exec(
      `PRAGMA busy_timeout = 0; PRAGMA synchronous = ${durability === 'sync' ? 'FULL' : 'NORMAL'}; ` +
        `PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF; ` +
        `PRAGMA journal_size_limit = ${MAX_IDLE_LOG_BYTES}; PRAGMA query_only = ${readOnly ? 'ON' : 'OFF'}`,
    )
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Also where the log is empty: a writer that was killed just after a checkpoint leaves its index. */
function hasLeftovers(path: string): boolean {
  return existsSync(`${path}-wal`) || existsSync(`${path}-shm`)
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** @throws `CORRUPT` where the log of a database is there and the database is not: a new one would not be what it was */
function refuseLostFile(path: string): void {
  if (existsSync(path) || !hasLog(path)) return
  throw corrupt(`${path} is gone, and its log ${path}-wal is there`, { file: path })
}

/** The first page of a database names its tables, also where its header is damaged. */
function looksLikeOurs(path: string, tablePrefix: string): boolean {
  return readFileSync(path).subarray(0, 65_536).includes(`CREATE TABLE ${tablePrefix}`)
}

function noStore(path: string | undefined): StoreError {
  return new StoreError(
    'NOT_FOUND',
    `There is no store in ${path ?? 'the database'}.`,
    path === undefined ? {} : { file: path },
  )
}
