import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { basename } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'

import { parseLog } from '../src/files/log-file.ts'
import {
  copyStore,
  event,
  filesNamed,
  grow,
  openBackend,
  readAll,
  readStore,
  temporaryDirectory,
} from './sample-store.ts'

const isLinux = process.platform === 'linux'
const KIB = 1024

function newestLog(path: string): string {
  return (
    filesNamed(path, /\.log$/)
      .toSorted()
      .at(-1) ?? ''
  )
}

function zerosAhead(log: string): number {
  return statSync(log).size - parseLog(readFileSync(log)).end
}

/** What a kill at this moment leaves. */
async function killedCopy(): Promise<string> {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 3)
  await grow(backend, 'a', 1)
  const copy = temporaryDirectory()
  copyStore(path, copy)
  for (const lock of filesNamed(copy, /lock$/i)) rmSync(lock)
  return copy
}

test.runIf(isLinux)('a log is written over zeros, and closing cuts off those that are left', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 1)
  const log = newestLog(path)
  const { size } = statSync(log)
  expect(zerosAhead(log)).toBeGreaterThan(200 * KIB)
  for (let count = 0; count < 20; count += 1) await grow(backend, 'a', 1)
  expect(statSync(log).size).toBe(size)
  await backend.close()
  expect(zerosAhead(log)).toBe(0)
  await backend.open()
  expect(await readAll(backend, 'a')).toHaveLength(21)
})

test.runIf(isLinux)('more zeros are written only when those before are used up', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  for (let count = 0; count < 1500; count += 1) {
    await grow(backend, `session ${count % 7}`, 1)
    if (count % 100 === 0) expect(zerosAhead(newestLog(path))).toBeLessThan((256 + 40) * KIB)
  }
})

test('where nobody waits for syncs, and for large appends, there are no zeros', async () => {
  const path = temporaryDirectory()
  const unsynced = await openBackend(path, { durability: 'os' })
  await grow(unsynced, 'a', 1)
  expect(zerosAhead(newestLog(path))).toBe(0)
  await unsynced.close()
  const backend = await openBackend(path)
  await grow(backend, 'a', 1, { extra: { text: 'x'.repeat(30 * KIB) } })
  expect(zerosAhead(newestLog(path))).toBe(0)
})

test('zeros that a kill leaves are no finding, and nothing is lost or set aside', async () => {
  const copy = await killedCopy()
  const { report, sessions } = await readStore(copy)
  expect(report.findings.map(({ kind }) => kind)).not.toContain('torn-tail')
  expect(sessions['a']).toMatchObject({ events: [event(1), event(2), event(3), event(4)] })
  expect(filesNamed(copy, /^set-aside$/)).toEqual([])
})

test.runIf(isLinux).each([0, 1, 6, 7, 100, 40_000])(
  'bytes that are no zeros, %i behind the end of the log, are a torn write',
  async (distance) => {
    const copy = await killedCopy()
    const log = newestLog(copy)
    const { end } = parseLog(readFileSync(log))
    const descriptor = openSync(log, 'r+')
    writeSync(descriptor, Buffer.from('part of a batch'), 0, 15, end + distance)
    closeSync(descriptor)
    const { report, sessions } = await readStore(copy)
    expect(report.findings).toContainEqual(expect.objectContaining({ kind: 'torn-tail', file: log }))
    expect(sessions['a']).toMatchObject({ events: [event(1), event(2), event(3), event(4)] })
  },
)

test.runIf(isLinux)('zeros in the place of a batch that was acknowledged are CORRUPT, not an end', async () => {
  const copy = await killedCopy()
  const log = newestLog(copy)
  const { records, end } = parseLog(readFileSync(log))
  const last = records.at(-1)?.offset ?? 0
  const descriptor = openSync(log, 'r+')
  writeSync(descriptor, Buffer.alloc(end - last), 0, end - last, last)
  closeSync(descriptor)
  await expect(leveldbBackend({ path: copy }).open()).rejects.toMatchObject({ code: 'CORRUPT' })
  truncateSync(log, last)
  await expect(leveldbBackend({ path: copy }).open()).rejects.toMatchObject({ code: 'CORRUPT' })
})

test('the zeros go on in the next log when one is full', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path, { writeBufferBytes: 1024 * KIB })
  const logs = new Set<string>()
  for (let count = 0; logs.size < 4; count += 1) {
    await grow(backend, 'a', 1, { extra: { text: 'x'.repeat(10 * KIB) } })
    logs.add(basename(newestLog(path)))
    expect(statSync(newestLog(path)).size).toBeLessThan(2 * 1024 * KIB)
  }
  const { last = 0 } = (await backend.head('a')) ?? {}
  await backend.close()
  await backend.open()
  expect(await readAll(backend, 'a')).toHaveLength(last)
})
