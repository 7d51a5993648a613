import { mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { inspectStore } from '../src/files/inspect-store.ts'
import { KNOWN_TABLES_FILE } from '../src/files/known-tables.ts'
import { listStoreFiles } from '../src/files/store-files.ts'
import { TableGuard } from '../src/table-guard.ts'
import { filesNamed, temporaryDirectory, writeSample } from './sample-store.ts'

/** A guard of a store whose tables were never checked. */
async function guardOfSample(): Promise<{ guard: TableGuard; tables: readonly string[] }> {
  const path = temporaryDirectory()
  await writeSample(path)
  rmSync(join(path, KNOWN_TABLES_FILE), { force: true })
  const { tables } = await inspectStore(path, listStoreFiles(path))
  return { guard: new TableGuard(tables), tables: filesNamed(path, /\.ldb$/) }
}

/** Directories instead of the tables: they can be opened, but not read. */
function makeUnreadable(tables: readonly string[]): void {
  for (const table of tables) {
    renameSync(table, `${table}.away`)
    mkdirSync(table)
  }
}

function putBack(tables: readonly string[]): void {
  for (const table of tables) {
    rmdirSync(table)
    renameSync(`${table}.away`, table)
  }
}

test('a table that could not be read for a moment is checked when it is next needed', async () => {
  const { guard, tables } = await guardOfSample()
  makeUnreadable(tables)
  await expect(guard.all()).rejects.toMatchObject({ code: 'IO' })
  await expect(guard.ready({})).rejects.toMatchObject({ code: 'IO' })
  guard.throwIfDamaged()
  putBack(tables)
  await guard.ready({})
  await guard.all()
  expect(guard.isDone).toBe(true)
})
