import { existsSync, linkSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import type { Problem, RepairOptions, RepairReport } from '@turnlog/core/backend'

import { Database } from '../database/database.ts'
import { loadLibrary } from '../database/load-library.ts'
import { Tables } from '../format/tables.ts'
import { syncDirectory } from '../open/make-file.ts'
import { openStore } from '../open/open-store.ts'
import { makeStore } from '../open/store-schema.ts'
import { damagedPrefix, repairedFile, undoUnfinishedRepair } from '../open/unfinished-repair.ts'
import { toStoreError } from '../database/to-store-error.ts'
import { DatabasePages } from './database-pages.ts'
import { holdLock } from './hold-lock.ts'
import { recordsOf } from './page-records.ts'
import { salvageRows } from './salvage-rows.ts'
import { settleSessions } from './settle-sessions.ts'
import type { Verifier } from './verify.ts'
import { verifyStore } from './verify.ts'

export interface RepairPlace {
  readonly path: string
  readonly driver: string
  readonly durability: 'sync' | 'os'
  readonly tablePrefix: string
  readonly waitMs: number
  /** Something that verifies an opened store. */
  verifier(store: Awaited<ReturnType<typeof openStore>>): Verifier & { close(): unknown }
}

/** @throws `LOCKED`, `NOT_FOUND`, `INVALID_ARGUMENT`, `UNSUPPORTED` */
export async function repairStore(place: RepairPlace, request: RepairOptions): Promise<RepairReport> {
  const { signal, session, apply = false } = request
  signal?.throwIfAborted()
  if (session !== undefined) {
    throw new StoreError('INVALID_ARGUMENT', 'A SQLite store is one file: repair all of it, without naming a session.')
  }
  const path = resolve(place.path)
  if (!existsSync(path)) throw new StoreError('NOT_FOUND', `There is no store in ${path}.`, { file: path })
  const tables = new Tables(place.tablePrefix)
  const problems = await findProblems({ ...place, path }, signal)
  if (problems.length === 0) return { applied: false, actions: [] }
  const release = await holdLock(path, place.driver)
  try {
    if (apply) undoUnfinishedRepair(path)
    refuseOthers(path, tables)
    return rebuild({ ...place, path }, tables, problems, apply, signal)
  } finally {
    await release()
  }
}

/** Opened read-only, so that nothing changes. */
async function findProblems(place: RepairPlace, signal: AbortSignal | undefined): Promise<readonly Problem[]> {
  try {
    const store = await openStore({ ...place, readOnly: true })
    const verifier = place.verifier(store)
    try {
      return (await verifyStore(verifier, signal === undefined ? {} : { signal })).problems
    } finally {
      await verifier.close()
    }
  } catch (error) {
    if (signal?.aborted === true) throw error
    const { code, message } = toStoreError(error, 'open the store')
    if (code !== 'CORRUPT') throw error
    return [{ message }]
  }
}

function rebuild(
  { path, driver }: RepairPlace,
  tables: Tables,
  problems: readonly Problem[],
  apply: boolean,
  signal: AbortSignal | undefined,
): RepairReport {
  const workshop = apply ? undefined : mkdtempSync(join(tmpdir(), 'turnlog-repair-'))
  const draft = workshop === undefined ? `${path}.repairing` : join(workshop, 'store.db')
  const pages = new DatabasePages(path)
  try {
    rmSync(draft, { force: true })
    const target = new Database(loadLibrary(driver).open(draft, { readOnly: false }))
    let dropped: readonly Problem[]
    try {
      target.exec('PRAGMA synchronous = FULL')
      dropped = target.write(() => {
        makeStore(target, tables)
        return settleSessions(target, tables, salvageRows(pages, target, tables, signal))
      })
      target.exec('PRAGMA journal_mode = WAL')
    } finally {
      target.close()
    }
    const actions = [
      ...problems.slice(0, 1),
      ...dropped,
      { message: 'All that can be read is put into a new database.' },
    ]
    if (!apply) return { applied: false, actions }
    return { applied: true, actions, backup: replace(path, draft) }
  } finally {
    pages.close()
    if (workshop !== undefined) rmSync(workshop, { recursive: true, force: true })
    rmSync(draft, { force: true })
  }
}

/** The log of the damaged database must not be there when the new one takes its place. */
function replace(path: string, draft: string): string {
  const backup = `${damagedPrefix(path)}${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  const directory = dirname(path)
  linkSync(path, backup)
  if (existsSync(`${path}-wal`)) linkSync(`${path}-wal`, `${backup}-wal`)
  renameSync(draft, repairedFile(path))
  syncDirectory(directory)
  for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
  syncDirectory(directory)
  renameSync(repairedFile(path), path)
  syncDirectory(directory)
  return backup
}

/** Rows of others cannot be told from damaged ones of ours, and the new file would be without them. */
function refuseOthers(path: string, tables: Tables): void {
  const pages = new DatabasePages(path)
  try {
    const known = new Set(tables.schema.map(({ name }) => name.toLowerCase()))
    for (const { columns } of recordsOf(pages, 1)) {
      const [type, name] = columns
      if (columns.length !== 5 || type === null || typeof name !== 'string' || name.startsWith('sqlite_')) continue
      if (known.has(name.toLowerCase())) continue
      throw new StoreError(
        'UNSUPPORTED',
        `${path} holds other tables beside the store. Restore it from a backup; a repair would lose them.`,
        {
          file: path,
        },
      )
    }
  } finally {
    pages.close()
  }
}
