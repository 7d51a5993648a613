import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { StoreError } from '@turnlog/core/backend'
import { encodeLog, parseLog, TableVerifier } from '@turnlog/leveldb-files'
import type { InspectedTable } from '@turnlog/leveldb-files'
import { ClassicLevel } from 'classic-level'
import { expect, test } from 'vitest'

import { Database } from '../src/database/database.ts'
import { inspectStore, tableErrors } from '../src/files/inspect-store.ts'
import type { Inspection } from '../src/files/inspect-store.ts'
import { VERIFIED_TABLES_FILE } from '../src/files/verified-tables-file.ts'
import { listStoreFiles } from '../src/files/store-files.ts'
import type { Level } from '../src/database/level.ts'
import { filesNamed, temporaryDirectory, writeSample } from './sample-store.ts'

/** A verifier of a store whose tables were never checked. */
async function guardOfSample(): Promise<{
  verifier: TableVerifier
  inspection: Inspection
  tables: readonly string[]
}> {
  const path = temporaryDirectory()
  await writeSample(path)
  rmSync(join(path, VERIFIED_TABLES_FILE), { force: true })
  const inspection = await inspectStore(path, listStoreFiles(path))
  return { verifier: new TableVerifier(inspection.tables, tableErrors), inspection, tables: filesNamed(path, /\.ldb$/) }
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
  const { verifier, tables } = await guardOfSample()
  makeUnreadable(tables)
  await expect(verifier.all()).rejects.toMatchObject({ code: 'IO' })
  await expect(verifier.ready({})).rejects.toMatchObject({ code: 'IO' })
  verifier.throwIfDamaged()
  putBack(tables)
  await verifier.ready({})
  await verifier.all()
  expect(verifier.isDone).toBe(true)
})

test.each([
  ['before it is opened if LevelDB would compact at once', 5, 'CORRUPT'],
  ['later if not', 1, undefined],
])('a large store is checked %s: its logs may become many tables', async (_, count, code) => {
  const { inspection } = await guardOfSample()
  const large = { level: 2, bytes: 64 * 1024 * 1024 }
  const tables = inspection.tables.map((table) => Object.assign(table, large))
  for (const { file } of tables) writeFileSync(file, readFileSync(file).fill(1, 0, 20))
  const batch = Buffer.alloc(64 * 1024)
  const { records } = parseLog(encodeLog(Array.from({ length: count }, () => batch)))
  const verifier = new TableVerifier(tables, tableErrors)
  const outcome = await verifier.prepare(records, batch.length).catch((error: unknown) => error)
  expect((outcome as StoreError | undefined)?.code).toBe(code)
})

test('looking for keys does not lead to a compaction while tables are unchecked', async () => {
  const path = temporaryDirectory()
  const open = async (): Promise<Level> => {
    const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
    await level.open()
    return level
  }
  let level = await open()
  const keys = Array.from({ length: 300 }, (_, index) => Buffer.from(String(index).padStart(3, '0')))
  await level.batch(keys.map((key) => ({ type: 'put', key, value: key })))
  await level.compactRange(Buffer.from('0'), Buffer.from('9'))
  for (const key of [keys.at(0), keys.at(-1)]) if (key !== undefined) await level.put(key, key)
  await level.close()
  // Opening makes a table of these two, and every other key is looked for in it first, in vain.
  level = await open()
  const far = (number: number): InspectedTable => {
    const key = Buffer.from(`far ${number}`)
    return { number, level: 6, file: join(path, `${number}.ldb`), sizes: [1], bytes: 1, smallest: key, largest: key }
  }
  const verifier = new TableVerifier([far(1001), far(1002), far(1003), far(1004)], tableErrors)
  const database = new Database(path, level, verifier)
  for (const key of keys) expect(await database.values([key])).toEqual([key])
  expect(verifier.isDone).toBe(false)
  await database.close()
  expect(readFileSync(join(path, 'LOG'), 'latin1')).not.toMatch(/Compact/)
})
