import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { ClassicLevel } from 'classic-level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { linkLogs, parseBatch, parseLog } from '@turnlog/leveldb-files'

import { Database } from '../src/database/database.ts'
import { listStoreFiles } from '../src/files/store-files.ts'
import { checkOptions } from '../src/options/leveldb-options.ts'
import { recoverWrites } from '../src/open/recover-writes.ts'
import { COUNTER_KEY, decodeCounter, encodeCounter } from '../src/format/store-rows.ts'
import {
  copyStore,
  filesNamed,
  grow,
  openBackend,
  readStore,
  temporaryDirectory,
  writeTableAndLog,
} from './sample-store.ts'

type Records = ReturnType<typeof parseLog>['records']

async function storeWithLog(): Promise<{ path: string; log: string; sessions: unknown }> {
  const path = temporaryDirectory()
  const log = await writeTableAndLog(path)
  const copy = temporaryDirectory()
  copyStore(path, copy)
  const { sessions } = await readStore(copy)
  return { path, log, sessions }
}

async function openLevel(path: string): Promise<ClassicLevel<Buffer, Buffer>> {
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.open()
  return level
}

/** A process opened it, LevelDB passed over the log, and the process died after writing some of it again. */
async function dieWhileOpening(path: string, log: string, writtenAgain: (records: Records) => Records): Promise<void> {
  const { records } = parseLog(readFileSync(log))
  copyFileSync(log, join(path, `turnlog.kept-${basename(log)}`))
  truncateSync(log, 0)
  const level = await openLevel(path)
  for (const { bytes } of writtenAgain(records)) {
    const batch = level.batch()
    for (const { key, value } of parseBatch(bytes) ?? []) {
      if (value === undefined) batch.del(key)
      else batch.put(key, value)
    }
    await batch.write()
  }
  await level.close()
  expect(existsSync(log)).toBe(false)
}

test.each([
  ['nothing', () => []],
  ['the first batch', (records: Records) => records.slice(0, 1)],
  ['all', (records: Records) => records],
])(
  'a process that dies while LevelDB has passed over a log loses nothing, with %s of it written again',
  async (_, again) => {
    const { path, log, sessions } = await storeWithLog()
    await dieWhileOpening(path, log, again)
    expect((await readStore(path)).sessions).toEqual(sessions)
    expect(listStoreFiles(path).linkedLogs).toEqual([])
    expect((await readStore(path)).sessions).toEqual(sessions)
  },
)

test('who only reads does not take a store for whole that was left like that', async () => {
  const { path, log } = await storeWithLog()
  await dieWhileOpening(path, log, () => [])
  await expect(readStore(path, {}, true)).rejects.toMatchObject({
    code: 'IO',
    message: expect.stringContaining('Open it once to write'),
  })
})

test('repair finds what is under a second name only', async () => {
  const { path, log, sessions } = await storeWithLog()
  await dieWhileOpening(path, log, () => [])
  await leveldbBackend({ path }).maintenance?.repair?.({ apply: true })
  expect((await readStore(path)).sessions).toEqual(sessions)
})

test('second names of logs that LevelDB is still to read change nothing', async () => {
  const { path, sessions } = await storeWithLog()
  linkLogs(path)
  expect((await readStore(path, {}, true)).sessions).toEqual(sessions)
  expect((await readStore(path)).sessions).toEqual(sessions)
  expect(listStoreFiles(path).linkedLogs).toEqual([])
})

test('a second name that somebody left who did not know it is not written over what came since', async () => {
  const { path, log } = await storeWithLog()
  const old = readFileSync(log)
  const backend = await openBackend(path)
  await grow(backend, 'in the log', 3)
  await backend.close()
  const { sessions } = await readStore(path)
  writeFileSync(join(path, `turnlog.kept-${basename(log)}`), old)
  expect((await readStore(path, {}, true)).sessions).toEqual(sessions)
  expect((await readStore(path)).sessions).toEqual(sessions)
  expect(listStoreFiles(path).linkedLogs).toEqual([])
})

test('a damaged log under its second name is reported', async () => {
  const { path, log } = await storeWithLog()
  await dieWhileOpening(path, log, () => [])
  const [kept = ''] = filesNamed(path, /kept/)
  const bytes = readFileSync(kept)
  bytes[20] = (bytes[20] ?? 0) ^ 1
  writeFileSync(kept, bytes)
  await expect(readStore(path)).rejects.toMatchObject({ code: 'CORRUPT', file: kept })
  expect(existsSync(kept)).toBe(true)
})

/** An open database with a row that is in the log only, and a way to have LevelDB pass over that log. */
async function databaseWithLog(): Promise<{
  database: Database
  key: Buffer
  recover: () => Promise<void>
}> {
  const { path } = await storeWithLog()
  const database = new Database(path, await openLevel(path))
  onTestFinished(() => database.close())
  const { batches, sessions } = decodeCounter((await database.values([COUNTER_KEY]))[0] as Buffer)
  const key = Buffer.from('in the log only')
  const batch = database.batch().put(key, Buffer.from('here'))
  await batch.put(COUNTER_KEY, encodeCounter({ batches: batches + 1, sessions })).write({ sync: true })
  const [log = ''] = filesNamed(path, /^\d+\.log$/)
  const passOver = (): void => {
    rmSync(log, { force: true })
    writeFileSync(log, '')
  }
  return {
    database,
    key,
    recover: () => recoverWrites(path, checkOptions({ path }), database, batches + 1, passOver),
  }
}

test('who reads while a store is reopened waits until everything is there', async () => {
  const { database, key, recover } = await databaseWithLog()
  const recovering = recover()
  expect(await database.values([key])).toEqual([Buffer.from('here')])
  await recovering
  expect(listStoreFiles(database.directory).linkedLogs).toEqual([])
})

test('what LevelDB passed over and cannot be written again at once is not given up; who reads has it tried again', async () => {
  const { database, key, recover } = await databaseWithLog()
  const cannot = vi.spyOn(database, 'on').mockImplementation(() => {
    throw new Error('the disk is full')
  })
  await expect(recover()).rejects.toThrow('the disk is full')
  await expect(database.values([key])).rejects.toMatchObject({ code: 'IO' })
  cannot.mockRestore()
  let again: Promise<void> | undefined
  database.revive = () => (again ??= recover())
  const [readers, rows] = await Promise.all([database.values([key]), database.rows({ gte: key, lte: key }, 1)])
  expect(readers).toEqual([Buffer.from('here')])
  expect(rows).toEqual([[key, Buffer.from('here')]])
  expect(listStoreFiles(database.directory).linkedLogs).toEqual([])
})

test('second names are given to all logs up to the newest that has one', () => {
  const path = temporaryDirectory()
  for (const name of ['000003.log', '000005.log', 'turnlog.kept-000005.log', '000007.log']) {
    writeFileSync(join(path, name), '')
  }
  linkLogs(path)
  expect(listStoreFiles(path).linkedLogs).toEqual([3, 5])
})
