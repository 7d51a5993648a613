import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { Backend } from '@turnlog/core/backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseLog } from '@turnlog/leveldb-files'

import {
  event,
  fileContents,
  filesNamed,
  grow,
  openBackend,
  readAll,
  readStore,
  temporaryDirectory,
} from './sample-store.ts'

function appendBytes(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, 'a')
  writeSync(descriptor, bytes)
  closeSync(descriptor)
}

/** Closed, with all that it holds in a table. */
async function storeWithTable(): Promise<{ path: string; backend: Backend; table: string }> {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 3)
  await backend.close()
  await backend.open()
  await backend.close()
  const [table = ''] = filesNamed(path, /\.ldb$/)
  return { path, backend, table }
}

test('a torn record at the end of the log is reported, set aside and cut off', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 3)
  await backend.close()
  const [log = ''] = filesNamed(path, /\.log$/)
  appendBytes(log, Buffer.from('a write that was cut short'))
  const { findings } = await backend.open()
  expect(findings).toMatchObject([{ kind: 'torn-tail', file: log, bytes: 26 }])
  expect(await readAll(backend, 'a')).toHaveLength(3)
  await backend.close()
  const [, kept] = [...fileContents(path)].find(([name]) => name.startsWith('set-aside')) ?? []
  expect(kept?.toString()).toBe('a write that was cut short')
  expect((await backend.open()).findings).toEqual([])
})

test.each([
  ['sync', { code: 'CORRUPT' }],
  ['os', { kind: 'lost-tail' }],
] as const)('a log that lost whole records at its end is noticed in %s mode', async (durability, expected) => {
  const path = temporaryDirectory()
  const backend = await openBackend(path, { durability })
  await grow(backend, 'a', 1)
  const [log = ''] = filesNamed(path, /\.log$/)
  const boundary = parseLog(readFileSync(log)).end
  await grow(backend, 'a', 1)
  await backend.close()
  truncateSync(log, boundary)
  if ('code' in expected) {
    await expect(backend.open()).rejects.toMatchObject(expected)
    return
  }
  expect((await backend.open()).findings).toMatchObject([expected])
  expect(await readAll(backend, 'a')).toEqual([event(1)])
  await backend.close()
  expect((await backend.open()).findings).toEqual([])
})

test('a table that belongs to no version is moved aside, not deleted', async () => {
  const { path, backend, table } = await storeWithTable()
  const bytes = readFileSync(table)
  const orphan = join(path, '000001.ldb')
  appendBytes(orphan, bytes)
  const { findings } = await backend.open()
  expect(findings).toMatchObject([{ kind: 'set-aside' }])
  expect(readFileSync(findings[0]?.file ?? '').equals(bytes)).toBe(true)
  expect(basename(findings[0]?.file ?? '')).toContain('000001.ldb')
})

test('of tables that were moved aside only those of the last time stay, so that kills do not fill the disk', async () => {
  const { path, backend, table } = await storeWithTable()
  for (const name of ['000001.ldb', '000002.ldb']) {
    appendBytes(join(path, name), readFileSync(table))
    const [log = ''] = filesNamed(path, /\.log$/)
    appendBytes(log, Buffer.from('torn'))
    await backend.open()
    await backend.close()
  }
  const names = [...fileContents(join(path, 'set-aside')).keys()]
  expect(names.filter((name) => name.endsWith('.ldb'))).toEqual([expect.stringContaining('000002.ldb')])
  expect(names.filter((name) => name.endsWith('.torn'))).toHaveLength(2)
  await backend.open()
  expect(await readAll(backend, 'a')).toHaveLength(3)
})

test('a creation that was interrupted is begun again', async () => {
  const path = temporaryDirectory()
  appendBytes(join(path, 'turnlog.anchor'), Buffer.alloc(0))
  const backend = await openBackend(path)
  await grow(backend, 'a', 1)
  await backend.close()
  expect((await backend.open()).created).toBe(false)
})

test('a store that lost all files of LevelDB is damaged, not new', async () => {
  const { path, backend } = await storeWithTable()
  for (const file of filesNamed(path, /\.ldb$|^\d+\.log$|^MANIFEST|^CURRENT$/)) rmSync(file)
  await expect(backend.open()).rejects.toMatchObject({ code: 'CORRUPT' })
  expect(filesNamed(path, /^turnlog\.anchor$/)).toHaveLength(1)
})

test('a directory with other files is refused and left alone', async () => {
  const path = temporaryDirectory()
  appendBytes(join(path, 'notes.txt'), Buffer.from('mine'))
  await expect(leveldbBackend({ path }).open()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  expect([...fileContents(path).keys()]).toEqual(['notes.txt'])
})

test('a read-only open changes no byte, not even of a torn log', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 70)
  await backend.close()
  appendBytes(filesNamed(path, /\.log$/)[0] ?? '', Buffer.from('torn'))
  const before = fileContents(path)
  const { report, sessions } = await readStore(path, {}, true)
  expect(report.findings).toMatchObject([{ kind: 'torn-tail' }])
  expect(sessions).toMatchObject({ a: { head: { last: 70 } } })
  expect(fileContents(path)).toEqual(before)
})

test('a read-only open writes through to no table that a crash left behind, whatever its number', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 10)
  await backend.close()
  const known = new Set(filesNamed(path, /\.(?:ldb|log)$/).map((file) => Number.parseInt(basename(file), 10)))
  for (let number = 1; number <= 40; number++) {
    const name = `${String(number).padStart(6, '0')}.ldb`
    if (!known.has(number)) appendBytes(join(path, name), Buffer.from('left behind'))
  }
  const before = fileContents(path)
  const reader = leveldbBackend({ path })
  await reader.open({ readOnly: true })
  expect(await readAll(reader, 'a')).toHaveLength(10)
  await reader.close()
  expect(fileContents(path)).toEqual(before)
})

test('a read-only open where there is no store is NOT_FOUND and makes nothing', async () => {
  const path = join(temporaryDirectory(), 'none')
  await expect(leveldbBackend({ path }).open({ readOnly: true })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(filesNamed(join(path, '..'), /./)).toEqual([])
})

test('a trim is carried out in the background, and one that was interrupted goes on later', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 640)
  await grow(backend, 'a', 1, { trimBefore: 600 })
  await backend.close() // does not wait for the trim
  await backend.open()
  expect((await backend.head('a'))?.first).toBe(600)
  const before = (await backend.maintenance?.verify())?.bytes ?? 0
  await backend.maintenance?.reclaim()
  const report = await backend.maintenance?.verify()
  expect(report).toMatchObject({ events: 42, problems: [] })
  expect(report?.bytes).toBeLessThan(before + 1)
  expect((await readAll(backend, 'a')).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 42 }, (_, index) => 600 + index),
  )
})

test('a store is opened to write where there is no directory for temporary files', async () => {
  const path = temporaryDirectory()
  vi.stubEnv('TMPDIR', join(path, 'nowhere'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const backend = leveldbBackend({ path })
  await backend.open()
  await grow(backend, 'a', 70)
  // The second time the log becomes a table, the third time all that there is is in tables.
  for (let time = 0; time < 3; time++) {
    await backend.close()
    expect((await backend.open()).findings).toEqual([])
  }
  expect(await readAll(backend, 'a')).toHaveLength(70)
  await backend.close()
})
