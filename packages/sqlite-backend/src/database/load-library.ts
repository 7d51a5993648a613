import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

import type { SqliteDatabase, SqliteLibrary } from './sqlite-library.ts'

interface NodeSqlite {
  readonly DatabaseSync: new (file: string, options: object) => SqliteDatabase
}

type BetterSqlite = new (file: string, options?: object) => SqliteDatabase

const INSTALL =
  'Install it beside @turnlog/sqlite-backend: `npm install better-sqlite3@12`, or with pnpm ' +
  '`pnpm add better-sqlite3@12` and `pnpm approve-builds`; or use Node 22.23 and later, which brings SQLite along'

/** From this one on Node runs better-sqlite3 13; an older one is ended by it while it loads. */
const NODE_OF_13 = 22

/**
 * @param driver `auto`, `node`, `better-sqlite3`, or the directory of an installed better-sqlite3
 * @throws `INVALID_CONFIG` with what to install
 */
export function loadLibrary(driver: string): SqliteLibrary {
  if (driver === 'auto' || driver === 'node') {
    const library = nodeSqlite()
    if (library !== undefined) return library
    if (driver === 'node') {
      throw invalid(
        `Node ${process.versions.node} has no node:sqlite. Use Node 22.23 or later, or driver "better-sqlite3"`,
      )
    }
  }
  return betterSqlite(driver === 'auto' || driver === 'better-sqlite3' ? undefined : driver)
}

function nodeSqlite(): SqliteLibrary | undefined {
  const module = process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined
  if (module === undefined) return undefined
  const { DatabaseSync } = module
  return { name: 'node:sqlite', open: (file, { readOnly }) => new DatabaseSync(file, { readOnly }) }
}

function betterSqlite(directory: string | undefined): SqliteLibrary {
  const manifest = findManifest(directory)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const [major = 0] = version.split('.').map(Number)
  const [node = 0] = process.versions.node.split('.').map(Number)
  if (major < 12) throw invalid(`better-sqlite3 ${version} is too old. ${INSTALL}`)
  if (major >= 13 && node < NODE_OF_13) {
    throw invalid(`better-sqlite3 ${version} ends the process on Node ${process.versions.node}. ${INSTALL}`)
  }
  try {
    const Database = createRequire(manifest)(dirname(manifest)) as BetterSqlite
    new Database(':memory:').close() // the native half is loaded by the first database
    return {
      name: `better-sqlite3 ${version}`,
      open: (file, { readOnly }) => new Database(file, { readonly: readOnly, timeout: 0 }),
    }
  } catch (error) {
    throw invalid(
      `better-sqlite3 ${version} is installed and does not load; most often its install script did not run. ` +
        'Run `npm rebuild better-sqlite3`, or with pnpm `pnpm approve-builds`',
      error,
    )
  }
}

/** Beside this package, as a peer, or in the program that runs. */
function findManifest(directory: string | undefined): string {
  if (directory !== undefined) {
    const manifest = join(resolve(directory), 'package.json')
    if (existsSync(manifest)) return manifest
    throw invalid(`There is no better-sqlite3 in ${directory}`)
  }
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from).resolve('better-sqlite3/package.json')
    } catch {
      // not there
    }
  }
  throw invalid(
    `There is no SQLite: Node ${process.versions.node} has no node:sqlite, and better-sqlite3 is not installed. ${INSTALL}`,
  )
}

function invalid(message: string, cause?: unknown): StoreError {
  return new StoreError('INVALID_CONFIG', `Cannot use SQLite: ${message}.`, cause === undefined ? {} : { cause })
}
