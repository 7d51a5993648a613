import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { Backend } from '@turnlog/core/backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { parseLog, LogPreallocation } from '@turnlog/leveldb-files'
import { ClassicLevel } from 'classic-level'
import { expect, test } from 'vitest'

import { ReusedBatch } from '../src/database/reused-batch.ts'
import {
  copyStore,
  event,
  filesNamed,
  grow,
  openBackend,
  readAll,
  readStore,
  repair,
  temporaryDirectory,
} from './sample-store.ts'

const isLinux = process.platform === 'linux'
const KIB = 1024
const PREALLOCATED = { preallocateLog: true } as const

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
  const backend = await openBackend(path, PREALLOCATED)
  await grow(backend, 'a', 3)
  await grow(backend, 'a', 1)
  await untilZeros(path)
  const copy = temporaryDirectory()
  copyStore(path, copy)
  for (const lock of filesNamed(copy, /lock$/i)) rmSync(lock)
  return copy
}

/** They are written in the background. */
async function untilZeros(path: string): Promise<string> {
  const log = newestLog(path)
  if (isLinux) await expect.poll(() => zerosAhead(log)).toBeGreaterThan(400 * KIB)
  return log
}

test.runIf(isLinux)('a log is written over zeros, and closing cuts off those that are left', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path, PREALLOCATED)
  await grow(backend, 'a', 1)
  const log = await untilZeros(path)
  const { size } = statSync(log)
  for (let count = 0; count < 20; count++) await grow(backend, 'a', 1)
  expect(statSync(log).size).toBe(size)
  await backend.close()
  expect(zerosAhead(log)).toBe(0)
  await backend.open()
  expect(await readAll(backend, 'a')).toHaveLength(21)
})

test.runIf(isLinux)('more zeros are written only when few are left', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path, PREALLOCATED)
  for (let count = 0; count < 1500; count++) {
    await grow(backend, `session ${count % 7}`, 1)
    if (count % 100 === 0) expect(zerosAhead(newestLog(path))).toBeLessThan((512 + 128 + 64) * KIB)
  }
})

test('without the option, where nobody waits for syncs, and for large appends, there are no zeros', async () => {
  const path = temporaryDirectory()
  const usual = await openBackend(path)
  await grow(usual, 'a', 1)
  expect(zerosAhead(newestLog(path))).toBe(0)
  await usual.close()
  const unsynced = await openBackend(path, { ...PREALLOCATED, durability: 'os' })
  await grow(unsynced, 'a', 1)
  expect(zerosAhead(newestLog(path))).toBe(0)
  await unsynced.close()
  const backend = await openBackend(path, PREALLOCATED)
  await grow(backend, 'a', 1, { extra: { text: 'x'.repeat(300 * KIB) } })
  expect(zerosAhead(newestLog(path))).toBe(0)
})

test.runIf(isLinux)('zeros never fall on a batch, whatever sizes come while they are written', async () => {
  const path = temporaryDirectory()
  const log = join(path, '000003.log')
  const descriptor = openSync(log, 'w')
  const preallocation = new LogPreallocation(path, 16 * 1024 * KIB)
  const sizes = [1, 900, 2_000, 250_000, 40, 120_000, 7, 90_000, 30_000, 700_000, 3_000]
  let waited = 0
  let end = 0
  for (let count = 0; count < 400; count++) {
    const size = (sizes[(count * 7) % sizes.length] ?? 0) + count
    const clear = preallocation.clear(size + 30)
    if (clear !== undefined) waited++
    await clear
    // As LevelDB does, which does not know of the zeros. Most batches begin before those are written.
    writeSync(descriptor, Buffer.alloc(size, 1 + (count % 200)), 0, size, end)
    end += size
    preallocation.extend()
  }
  await preallocation.leave()
  closeSync(descriptor)
  const bytes = readFileSync(log)
  expect(bytes.subarray(0, end).includes(0)).toBe(false)
  expect(bytes.subarray(end).equals(Buffer.alloc(bytes.length - end))).toBe(true)
  expect(waited).toBeGreaterThan(0)
  expect(waited).toBeLessThan(200)
})

test('what is said to be the most that a batch takes in a log is never exceeded, nor by much', async () => {
  const path = temporaryDirectory()
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.open()
  const batch = new ReusedBatch(level)
  let most = 0
  let batches = 0
  for (const size of [0, 1, 127, 128, 16_383, 16_384, 32_700, 32_750, 32_761, 32_768, 65_000, 300_000, 5]) {
    for (const key of ['k', 'k'.repeat(200)]) {
      batch.put(Buffer.from(key), Buffer.alloc(size, 1))
      batch.del(Buffer.from(`${key} ${size}`))
      most += batch.logBytes
      batches++
      await batch.write(false)
      const { size: taken } = statSync(newestLog(path))
      expect(taken).toBeLessThanOrEqual(most)
      expect(most - taken).toBeLessThanOrEqual(batches * 14 + 7)
    }
  }
  await level.close()
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
  const backend = await openBackend(path, { ...PREALLOCATED, writeBufferBytes: 1024 * KIB })
  const logs = new Set<string>()
  for (let count = 0; logs.size < 4; count++) {
    await grow(backend, 'a', 1, { extra: { text: 'x'.repeat(10 * KIB) } })
    logs.add(basename(newestLog(path)))
    expect(statSync(newestLog(path)).size).toBeLessThan(2 * 1024 * KIB)
  }
  const { last = 0 } = (await backend.head('a')) ?? {}
  await backend.close()
  await backend.open()
  expect(await readAll(backend, 'a')).toHaveLength(last)
})

/**
 * A store in which zeros have fallen on acknowledged batches, because the bound was wrong: it was not told of the batches
 * that LevelDB wrote over the first zeros and behind them.
 */
async function withZerosOnBatches(path: string): Promise<Backend> {
  const backend = await openBackend(path)
  const preallocation = new LogPreallocation(path, 16 * 1024 * KIB)
  await grow(backend, 'a', 1)
  preallocation.extend()
  const log = await untilZeros(path)
  const { size } = statSync(log)
  const extra = { text: 'x'.repeat(10 * KIB) }
  while (parseLog(readFileSync(log)).end < size + 60 * KIB) await grow(backend, 'a', 1, { extra })
  // Few of the first zeros are left by its count, although LevelDB has passed them.
  for (let told = 0; told < 2; told++) void preallocation.clear(200 * KIB)
  preallocation.extend()
  await preallocation.leave()
  expect(parseLog(readFileSync(log)).end).toBeLessThanOrEqual(size)
  return backend
}

test.runIf(isLinux)('a wrong bound costs batches, and is CORRUPT after a kill or a close, never silent', async () => {
  const path = temporaryDirectory()
  const backend = await withZerosOnBatches(path)
  const { last = 0 } = (await backend.head('a')) ?? {}
  expect(await readAll(backend, 'a')).toHaveLength(last)
  const killed = temporaryDirectory()
  copyStore(path, killed)
  for (const lock of filesNamed(killed, /lock$/i)) rmSync(lock)
  await backend.close()
  for (const directory of [path, killed]) {
    await expect(leveldbBackend({ path: directory }).open()).rejects.toMatchObject({ code: 'CORRUPT' })
  }
  const { actions } = await repair(leveldbBackend({ path }))
  expect(actions.length).toBeGreaterThan(0)
  await backend.open()
  const left = await readAll(backend, 'a')
  expect(left.length).toBeGreaterThan(40)
  expect(left.length).toBeLessThan(last)
  expect(left.map(({ seq }) => seq)).toEqual(left.map((_, index) => index + 1))
})

test.runIf(isLinux)('a wrong bound costs nothing once LevelDB has moved the batches into a table', async () => {
  const path = temporaryDirectory()
  const backend = await withZerosOnBatches(path)
  const { last = 0 } = (await backend.head('a')) ?? {}
  await backend.maintenance?.reclaim()
  await backend.close()
  await backend.open()
  expect(await readAll(backend, 'a')).toHaveLength(last)
})
