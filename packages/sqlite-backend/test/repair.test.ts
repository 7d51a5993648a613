import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openDatabase } from './instance-target.mjs'
import {
  contentsOf,
  describeSqlite,
  flip,
  grow,
  makeBackend,
  openBackend,
  readAll,
  temporaryDirectory,
  writeSample,
} from './sample-store.ts'

describeSqlite('repair', () => {
  test('takes every whole row from the pages, also where their tree is destroyed', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    const backend = await openBackend(path)
    for (let round = 0; round < 10; round++) await grow(backend, 's', 20, { pad: 'x'.repeat(round * 900) })
    const expected = await contentsOf(backend)
    await backend.close()
    const [root = 0] = rootsOf(path)
    const bytes = readFileSync(path)
    bytes.fill(0, (root - 1) * 4096, (root - 1) * 4096 + 12) // the page that finds all others
    writeFileSync(path, bytes)
    const damaged = makeBackend(path)
    const { applied, backup } = (await damaged.maintenance?.repair({ apply: true })) ?? {}
    expect(applied).toBe(true)
    expect(readFileSync(backup ?? '').equals(bytes)).toBe(true) // element by element takes a minute
    await damaged.open()
    expect(await contentsOf(damaged)).toEqual(expected)
    expect((await damaged.maintenance?.verify())?.problems).toEqual([])
  })

  test('keeps what stands before a damaged event, and names what is gone', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    await writeSample(path)
    flip(path, readFileSync(path).indexOf('"id":"id-40"'), 0)
    const backend = makeBackend(path)
    const report = await backend.maintenance?.repair({ apply: true })
    expect(report?.actions).toContainEqual(expect.objectContaining({ session: 'telegram:1', seq: 40 }))
    await backend.open()
    expect((await readAll(backend, 'telegram:1')).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 39 }, (_, index) => index + 1),
    )
    expect(await backend.head('telegram:1')).toMatchObject({ last: 39, projection: null })
    expect(await readAll(backend, 'ünï')).toHaveLength(8)
  })

  test('refuses a file with tables of others, and one that somebody has open', async () => {
    const path = join(temporaryDirectory(), 'mine.db')
    const mine = openDatabase(path)
    mine.exec('CREATE TABLE mine (x)')
    mine.close()
    await writeSample(path)
    flip(path, readFileSync(path).indexOf('"id":"id-40"'), 0)
    const backend = makeBackend(path)
    await expect(backend.maintenance?.repair({ apply: true })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    const other = openDatabase(path)
    other.prepare('SELECT count(*) FROM mine').get()
    await expect(backend.maintenance?.repair({ apply: true })).rejects.toMatchObject({ code: 'LOCKED' })
    other.close()
    expect(existsSync(`${path}.repaired`)).toBe(false)
  })
})

function rootsOf(path: string): readonly number[] {
  const database = openDatabase(path)
  const rows = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'turnlog_events'").all()
  database.close()
  return (rows as { rootpage: number }[]).map(({ rootpage }) => rootpage)
}
