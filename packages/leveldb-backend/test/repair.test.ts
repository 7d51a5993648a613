import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'
import { parseLog } from '@turnlog/leveldb-files'

import { Watermark } from '../src/open/watermark.ts'
import {
  copyStore,
  fileContents,
  filesNamed,
  flip,
  grow,
  openBackend,
  repair,
  temporaryDirectory,
  writeGenerations,
  event,
  readAll,
} from './sample-store.ts'

const TROUBLES: Readonly<Record<string, (path: string) => void>> = {
  'a missing anchor': (path) => rmSync(join(path, 'turnlog.anchor')),
  'a damaged anchor': (path) => writeFileSync(join(path, 'turnlog.anchor'), Buffer.alloc(1024, 7)),
  'the watermark of another store': (path) => {
    const watermark = Watermark.open(path)
    watermark.reset({ ...Watermark.read(path), storeId: 'f'.repeat(32) })
    watermark.close()
  },
  'a missing CURRENT': (path) => rmSync(join(path, 'CURRENT')),
  'a missing MANIFEST': (path) => rmSync(filesNamed(path, /^MANIFEST/)[0] ?? ''),
  'a damaged MANIFEST': (path) => flip(filesNamed(path, /^MANIFEST/)[0] ?? '', 20),
  'a missing log': (path) => rmSync(filesNamed(path, /\.log$/)[0] ?? ''),
  'a missing table': (path) => rmSync(filesNamed(path, /\.ldb$/)[0] ?? ''),
  'a lost last batch': (path) => {
    const [log = ''] = filesNamed(path, /\.log$/)
    truncateSync(log, parseLog(readFileSync(log)).records.at(-1)?.offset ?? 0)
  },
  'a table that is longer than it was': (path) => {
    const [table = ''] = filesNamed(path, /\.ldb$/)
    writeFileSync(table, Buffer.alloc(3), { flag: 'a' })
  },
}

test.each(Object.entries(TROUBLES))('%s is CORRUPT, and repair has something to do about it', async (_, damage) => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'in a table', 3)
  await backend.close()
  await backend.open()
  await grow(backend, 'in the log', 3)
  await grow(backend, 'in the log', 3)
  await backend.close()
  damage(path)
  await expect(backend.open()).rejects.toMatchObject({ code: 'CORRUPT' })
  const planned = await backend.maintenance?.repair()
  expect(planned?.actions).not.toEqual([])
  const { actions, backup } = await repair(backend)
  expect(actions).toEqual(planned?.actions)
  expect(existsSync(backup ?? '')).toBe(true)
  await backend.open()
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
  await backend.close()
  expect(await repair(backend)).toEqual({ applied: true, actions: [] })
})

test('a repair that has nothing to do changes no byte', async () => {
  const path = temporaryDirectory()
  await writeGenerations(path, ['a'])
  const before = fileContents(path)
  expect(await repair(leveldbBackend({ path }))).toEqual({ applied: true, actions: [] })
  expect(fileContents(path)).toEqual(before)
  expect(readdirSync(dirname(path))).toEqual([basename(path)])
})

test('repair where there is no store is NOT_FOUND, and makes none', async () => {
  const path = temporaryDirectory()
  await expect(repair(leveldbBackend({ path }))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(readdirSync(path)).toEqual([])
})

test('a table that was replaced, and that a crash left there, is not read', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  for (let count = 0; count < 60; count++) await grow(backend, 'a', 1)
  await backend.close()
  await backend.open()
  const [table = ''] = filesNamed(path, /\.ldb$/)
  const bytes = readFileSync(table)
  for (let count = 0; count < 6; count++) await grow(backend, 'a', 1)
  await backend.maintenance?.reclaim() // now nothing says any more that the single rows were deleted
  await backend.close()
  expect(existsSync(table)).toBe(false)
  writeFileSync(table, bytes)
  expect((await backend.maintenance?.repair())?.actions).toEqual([])
})

test('repair tells how far it has come, and stops when it is told to, with nothing changed', async () => {
  const path = temporaryDirectory()
  await writeGenerations(path, ['a'])
  rmSync(join(path, 'turnlog.anchor'))
  const before = fileContents(path)
  const { maintenance } = leveldbBackend({ path })
  const steps: [number, number][] = []
  await maintenance?.repair({ onProgress: (done, total) => void steps.push([done, total]) })
  const total = steps.length
  expect(total).toBeGreaterThan(3)
  expect(steps).toEqual(Array.from({ length: total }, (_, index) => [index + 1, total]))
  for (let stop = 0; stop < total; stop++) {
    const controller = new AbortController()
    if (stop === 0) controller.abort()
    const onProgress = (done: number): void => {
      if (done === stop) controller.abort()
    }
    const request = { apply: true, signal: controller.signal, onProgress }
    await expect(maintenance?.repair(request)).rejects.toMatchObject({ name: 'AbortError' })
    expect(fileContents(path)).toEqual(before)
    expect(readdirSync(dirname(path))).toEqual([basename(path)])
  }
})

test('one session alone cannot be repaired, and nothing is done instead', async () => {
  const path = temporaryDirectory()
  await writeGenerations(path, ['a'])
  rmSync(join(path, 'turnlog.anchor'))
  const before = fileContents(path)
  const request = { apply: true, session: 'a' }
  await expect(leveldbBackend({ path }).maintenance?.repair(request)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    session: 'a',
  })
  expect(fileContents(path)).toEqual(before)
})

test('what was trimmed and not yet deleted is gone after a repair, and not left for ever', async () => {
  const path = temporaryDirectory()
  const copy = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 's', 100, { extra: { secret: 'trimmed' } })
  await grow(backend, 's', 1, { trimBefore: 90 })
  copyStore(path, copy) // as a kill leaves it, before anything is deleted in the background
  await backend.close()
  rmSync(join(copy, 'turnlog.anchor'))
  rmSync(join(copy, 'turnlog.lock'), { force: true })
  const repaired = leveldbBackend({ path: copy, compression: false })
  await repair(repaired)
  await repaired.open()
  expect(await repaired.head('s')).toMatchObject({ first: 90, last: 101 })
  const { bytes = 0, problems } = (await repaired.maintenance?.verify()) ?? {}
  expect(problems).toEqual([])
  await repaired.close()
  const untrimmed = await openBackend(temporaryDirectory())
  await grow(untrimmed, 's', 101, { extra: { secret: 'trimmed' } })
  expect(bytes).toBeLessThan(((await untrimmed.maintenance?.verify())?.bytes ?? 0) / 2)
})

test('verify finds damage in a row, and repair keeps what comes before it and the damaged original', async () => {
  const path = temporaryDirectory()
  const options = { compression: false, blockBytes: 1024 } as const
  const backend = await openBackend(path, options)
  await grow(backend, 'good', 10)
  for (let round = 0; round < 5; round++) await grow(backend, 'hurt', 64, { extra: { pad: `part ${round}` } })
  await backend.close()
  await backend.open()
  await backend.close()
  const [table = ''] = filesNamed(path, /\.ldb$/)
  const bytes = readFileSync(table)
  const at = bytes.indexOf('part 3')
  bytes[at] = 0
  writeFileSync(table, bytes)
  await expect(backend.open()).rejects.toMatchObject({ code: 'CORRUPT', file: table })
  const dry = await backend.maintenance?.repair()
  expect(dry).toMatchObject({ applied: false })
  expect(readFileSync(table).equals(bytes)).toBe(true)
  const report = await backend.maintenance?.repair({ apply: true })
  expect(report?.actions).toMatchObject([{ file: table }, { session: 'hurt', seq: 193 }])
  expect(filesNamed(report?.backup ?? '', /\.ldb$/).some((file) => readFileSync(file).equals(bytes))).toBe(true)
  await backend.open()
  expect(await readAll(backend, 'good')).toEqual(Array.from({ length: 10 }, (_, index) => event(index + 1)))
  expect((await readAll(backend, 'hurt')).at(-1)?.seq).toBe(192)
  expect(await backend.maintenance?.verify()).toMatchObject({ sessions: 2, events: 202, problems: [] })
  await grow(backend, 'good', 100)
  await backend.close()
})

test('repair wants a closed backend', async () => {
  const backend = await openBackend(temporaryDirectory())
  await expect(backend.maintenance?.repair()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})
