import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { expect, test } from 'vitest'

import { openDatabase } from './instance-target.mjs'
import { contentsOf, describeSqlite, event, grow, openBackend, temporaryDirectory } from './sample-store.ts'

const FIXTURE = join(import.meta.dirname, 'fixtures', 'format-v1')

describeSqlite('the format', () => {
  test('a store that version 1 of the format wrote opens and gives back what was written', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    copyFileSync(`${FIXTURE}.db`, path)
    const backend = await openBackend(path)
    expect(await contentsOf(backend)).toEqual(JSON.parse(readFileSync(`${FIXTURE}.json`, 'utf8')))
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
  })

  test('each event is a row under session and number, with a checksum over both and its text', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    const backend = await openBackend(path)
    await grow(backend, 'a', 1)
    await grow(backend, 'b', 3)
    const database = openDatabase(path)
    const rows = database.prepare('SELECT at, crc, body FROM turnlog_events WHERE at > 8589934592').all()
    expect(rows.map((row) => Object.assign({}, row))).toEqual(
      [1, 2, 3].map((seq) => {
        const body = JSON.stringify(event(seq))
        return { at: 2 * 2 ** 32 + seq, crc: crc32(`2 ${seq} ${body}`), body }
      }),
    )
    database.close()
  })

  test('the view shows conversations as text', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    const backend = await openBackend(path)
    await grow(backend, 'a', 2, { trimBefore: 2 })
    const database = openDatabase(path)
    expect(database.prepare('SELECT session, seq, time, role, content FROM turnlog_messages').all()).toMatchObject([
      { session: 'a', seq: 2, time: '2023-11-14 22:13:20', role: 'user', content: 'text text 2' },
    ])
    database.close()
  })
})
