import { EventEmitter, once } from 'node:events'

import type { TableVerifier } from '@turnlog/leveldb-files'
import { ClassicLevel } from 'classic-level'
import { expect, onTestFinished, test } from 'vitest'

import { Cursor } from '../src/read/cursor.ts'
import { Database } from '../src/database/database.ts'
import type { KeyRange } from '../src/database/lease.ts'
import { temporaryDirectory } from './sample-store.ts'

test('a cursor whose iterator is taken back while a step waits for tables goes on where it was', async () => {
  const path = temporaryDirectory()
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  onTestFinished(() => level.close())
  for (let key = 0; key < 6; key++) await level.put(Buffer.of(key), Buffer.alloc(0))
  const signals = new EventEmitter()
  let steps = 0
  const ready = async (): Promise<void> => {
    steps++
    if (steps === 2) await once(signals, 'checked')
  }
  const verifier: Partial<TableVerifier> = { isDone: false, ready }
  const database = new Database(path, level, verifier as TableVerifier)
  let last: number | undefined
  const rest = (): KeyRange => (last === undefined ? {} : { gt: Buffer.of(last) })
  const cursor = new Cursor(database, rest, {}, { rows: 2 })
  const next = async (): Promise<readonly number[]> => {
    const keys = (await cursor.next()).map(([key]) => key[0] ?? NaN)
    last = keys.at(-1) ?? last
    return keys
  }
  expect(await next()).toEqual([0, 1])
  await database.revokeLeases()
  signals.emit('checked')
  expect(await next()).toEqual([2, 3])
  expect(await next()).toEqual([4, 5])
  await cursor.close()
})
