import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isStoreError } from '@turnlog/core/backend'
import type { OpenReport } from '@turnlog/core/backend'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, message, readAll, scratchDirectory } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

async function makeStore(): Promise<{ readonly directory: string; readonly file: string; readonly good: Buffer }> {
  const directory = await scratchDirectory()
  const backend = jsonlBackend({ path: directory })
  await backend.open()
  await appendMessages(backend, 'chat', 0, 2)
  await appendMessages(backend, 'chat', 2, 3)
  await backend.close()
  const file = join(directory, 'chat.jsonl')
  return { directory, file, good: await readFile(file) }
}

describe('an unfinished last batch', () => {
  test('is set aside, cut off and reported, and the next append is good', async () => {
    const { directory, file, good } = await makeStore()
    const torn = '{"seq":6,"id":"id-6","type":"Mess'
    await appendFile(file, torn)
    const backend = jsonlBackend({ path: directory })
    const report = await backend.open()
    expect(report.findings).toMatchObject([
      { kind: 'torn-tail', session: 'chat', bytes: torn.length, file: `${file}.torn-1` },
    ])
    expect(await readFile(`${file}.torn-1`, 'utf8')).toBe(torn)
    expect(await readFile(file)).toEqual(good)
    await appendMessages(backend, 'chat', 5, 1)
    await backend.close()
    expect((await backend.open()).findings).toEqual([])
    expect(await readAll(backend, 'chat')).toEqual([1, 2, 3, 4, 5, 6].map((seq) => message(seq)))
    await backend.close()
  })

  test('is ignored and reported by a read-only open, which changes nothing', async () => {
    const { directory, file, good } = await makeStore()
    await appendFile(file, good.subarray(good.lastIndexOf('\n', good.length - 2) + 1, -5))
    const before = await readdir(directory)
    const { mtimeMs } = await stat(file)
    const backend = jsonlBackend({ path: directory })
    const report = await backend.open({ readOnly: true })
    expect(report.findings).toMatchObject([{ kind: 'torn-tail', session: 'chat', file }])
    expect(await readAll(backend, 'chat')).toHaveLength(5)
    await backend.close()
    expect(await readdir(directory)).toEqual(before)
    expect((await stat(file)).mtimeMs).toBe(mtimeMs)
  })

  test('with sectors that were never written does not take a damaged batch in front of it along', async () => {
    const { directory, file, good } = await makeStore()
    const torn = Buffer.concat([Buffer.from('{"seq":6,"id":"id-6"'), Buffer.alloc(512)])
    const damaged = Buffer.from(good)
    const position = good.lastIndexOf('message 4')
    damaged[position] = (good[position] ?? 0) ^ 1
    await rm(join(directory, 'turnlog.heads'))
    const backend = jsonlBackend({ path: directory })
    await writeFile(file, Buffer.concat([damaged, torn]))
    expect((await backend.open()).findings).toEqual([])
    await expect(backend.head('chat')).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat', seq: 4 })
    await backend.close()
    expect(await readFile(file)).toEqual(Buffer.concat([damaged, torn]))
    await writeFile(file, Buffer.concat([good, torn]))
    expect((await backend.open()).findings).toMatchObject([{ kind: 'torn-tail', bytes: torn.length }])
    expect(await readAll(backend, 'chat')).toHaveLength(5)
    await backend.close()
  })

  test('goes with the session when it is erased, as does everything set aside', async () => {
    const { directory, file } = await makeStore()
    await appendFile(file, 'torn')
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    await writeFile(`${file}.damaged-1`, 'old')
    await appendMessages(backend, 'chat.jsonl.torn-1', 0, 1)
    await backend.erase('chat', 5)
    await backend.close()
    const names = await readdir(directory)
    expect(names.filter((name) => name.startsWith('chat.jsonl'))).toEqual(['chat.jsonl.torn-1.jsonl'])
    expect(await readFile(join(directory, 'turnlog.heads'), 'utf8')).not.toContain('"chat"')
  })
})

/** One damage after the other, on a fast file system: the answer must be right, told or refused. */
async function sweep(
  damage: (good: Buffer) => Iterable<Buffer>,
  keepSidecar: boolean,
): Promise<Record<string, number>> {
  const { good, sidecar } = await makeSimulated()
  const outcomes: Record<string, number> = { same: 0, torn: 0, CORRUPT: 0 }
  for (const bytes of damage(good)) {
    const fileSystem = new SimulatedFileSystem()
    await put(fileSystem, '/store/chat.jsonl', bytes)
    if (keepSidecar) await put(fileSystem, '/store/turnlog.heads', sidecar)
    const backend = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
    const outcome = await judge(await backend.open(), () => readAll(backend, 'chat'))
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    await backend.close()
  }
  return outcomes
}

async function judge(report: OpenReport, read: () => Promise<unknown[]>): Promise<string> {
  const all = [1, 2, 3, 4, 5].map((seq) => message(seq))
  try {
    const events = await read()
    const isSame = JSON.stringify(events) === JSON.stringify(all)
    if (isSame) return 'same'
    const isPrefix = JSON.stringify(events) === JSON.stringify(all.slice(0, events.length))
    const isReported = report.findings.some(({ kind, session }) => kind === 'torn-tail' && session === 'chat')
    return isPrefix && isReported ? 'torn' : 'SILENT LOSS'
  } catch (error) {
    return isStoreError(error) ? error.code : String(error)
  }
}

async function makeSimulated(): Promise<{ readonly good: Buffer; readonly sidecar: Buffer }> {
  const fileSystem = new SimulatedFileSystem()
  const backend = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
  await backend.open()
  await appendMessages(backend, 'chat', 0, 2)
  await appendMessages(backend, 'chat', 2, 3)
  await backend.close()
  return { good: fileSystem.content('/store/chat.jsonl'), sidecar: fileSystem.content('/store/turnlog.heads') }
}

async function put(fileSystem: SimulatedFileSystem, path: string, bytes: Buffer): Promise<void> {
  const file = await fileSystem.open(path, { access: 'create' })
  await file.write(bytes, 0)
  await file.sync()
  await file.close()
}

function* flips(good: Buffer): Iterable<Buffer> {
  for (let position = 0; position < good.length; position++) {
    for (const bit of [0, 3, 5, 7]) {
      const bytes = Buffer.from(good)
      bytes[position] = (bytes[position] ?? 0) ^ (1 << bit)
      yield bytes
    }
  }
}

function* cuts(good: Buffer): Iterable<Buffer> {
  for (let size = 0; size < good.length; size++) yield good.subarray(0, size)
}

describe('every byte of a file', () => {
  test.each([true, false])(
    'flipped gives the same events, a torn tail that is told, or CORRUPT (sidecar: %s)',
    async (keep) => {
      const outcomes = await sweep(flips, keep)
      expect(Object.keys(outcomes).toSorted()).toEqual(['CORRUPT', 'same', 'torn'])
      expect(outcomes['same']).toBe(0)
      expect(outcomes['CORRUPT']).toBeGreaterThan(1000)
    },
  )

  test('cut after a clean close is CORRUPT, because the sidecar knows how much there was', async () => {
    const outcomes = await sweep(cuts, true)
    expect(outcomes).toMatchObject({ same: 0, torn: 0 })
    expect(Object.keys(outcomes).toSorted()).toEqual(['CORRUPT', 'same', 'torn'])
  })

  test('cut without a sidecar is told as a torn tail, or CORRUPT, except at the end of a batch', async () => {
    const outcomes = await sweep(cuts, false)
    // A file that ends with a whole batch looks like one to which nothing more was written.
    expect(outcomes['SILENT LOSS']).toBe(1)
    expect(Object.keys(outcomes).toSorted()).toEqual(['CORRUPT', 'SILENT LOSS', 'same', 'torn'])
  })
})
