import { readFileSync, truncateSync } from 'node:fs'

import { ClassicLevel } from 'classic-level'
import { expect, onTestFinished, test } from 'vitest'
import { parseLog } from '@turnlog/leveldb-files'

import { Database } from '../src/database/database.ts'
import { rewriteSkipped } from '../src/open/rewrite-skipped.ts'
import { filesNamed, readStore, temporaryDirectory, writeTableAndLog } from './sample-store.ts'

/** What LevelDB ends up with if it cannot open a log: the log is gone, and everything else is in order. */
async function storeWithLostLog(): Promise<{ path: string; records: ReturnType<typeof parseLog>['records'] }> {
  const path = temporaryDirectory()
  const log = await writeTableAndLog(path)
  const { records } = parseLog(readFileSync(log))
  truncateSync(log, 0)
  return { path, records }
}

async function openDatabase(path: string): Promise<Database> {
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.open()
  const database = new Database(path, level)
  onTestFinished(() => database.close())
  return database
}

test('what LevelDB has passed over in a log is written again', async () => {
  const { path, records } = await storeWithLostLog()
  const database = await openDatabase(path)
  await rewriteSkipped(database, { records, skipped: [] })
  await database.close()
  const { sessions } = await readStore(path)
  expect(sessions).toMatchObject({
    'in a table': { head: { first: 1, last: 72 } },
    'in the log': { head: { first: 3, last: 65 } },
  })
})

test('what LevelDB has read is not written again', async () => {
  const { path, records } = await storeWithLostLog()
  const database = await openDatabase(path)
  await rewriteSkipped(database, { records, skipped: [] })
  const [log = ''] = filesNamed(path, /\.log$/)
  const { end } = parseLog(readFileSync(log))
  await rewriteSkipped(database, { records, skipped: [] })
  expect(parseLog(readFileSync(log)).end).toBe(end)
})
