import { openStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { exportSessions, importSessions } from '@turnlog/transfer'
import { expect, test } from 'vitest'

import { fillWithSamples, textOf } from './sample-sessions.ts'
import { runSeed, seeded } from '../../core/test/seeded.ts'

async function openBackend(): Promise<Backend> {
  const backend = memoryBackend()
  await backend.open()
  return backend
}

async function sampleBackend(): Promise<Backend> {
  const backend = await openBackend()
  await fillWithSamples(backend)
  return backend
}

async function linesOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

// eslint-disable-next-line typescript/require-await -- a stream, although everything is here already
async function* streamOf<T>(...chunks: readonly T[]): AsyncGenerator<T> {
  yield* chunks
}

test('what is exported is imported as it was, whatever the chunks of the stream are', async () => {
  const random = seeded(runSeed('export chunks'))
  const from = await sampleBackend()
  const text = (await linesOf(exportSessions(from))).join('')
  const bytes = new TextEncoder().encode(text)
  for (let round = 0; round < 20; round++) {
    const chunks: Uint8Array[] = []
    for (let start = 0; start < bytes.length;) {
      const end = start + 1 + random.below(400)
      chunks.push(bytes.subarray(start, end))
      start = end
    }
    const to = await openBackend()
    const report = await importSessions(to, streamOf(...chunks))
    expect(report).toMatchObject({ ok: true, counts: { copied: 6 } })
    expect(await textOf(to)).toBe(await textOf(from))
    expect(await importSessions(to, streamOf(text))).toMatchObject({ ok: true, counts: { 'already-there': 6 } })
    expect((await linesOf(exportSessions(to))).join('')).toBe(text)
  }
})

test('each line is one JSON object that names its session', async () => {
  const from = await sampleBackend()
  const lines = await linesOf(exportSessions(from, { keys: ['plain'] }))
  expect(lines.every((line) => line.endsWith('\n'))).toBe(true)
  const [header, head, event, end, last] = lines.map((line) => JSON.parse(line) as object)
  expect(header).toEqual({ format: 'turnlog-export', version: 1, redacted: false })
  expect(head).toMatchObject({ session: 'plain', first: 1, last: 1, projection: { messages: 1 } })
  expect(event).toMatchObject({ session: 'plain', event: { seq: 1, message: { role: 'user', content: 'hello' } } })
  expect(end).toMatchObject({ session: 'plain', end: { events: 1, checksum: expect.any(String) } })
  expect(last).toEqual({ end: { sessions: 1 } })
})

test('one session or those of a prefix can be exported, and an unknown one is an error', async () => {
  const store = await openStore(await sampleBackend())
  const sessionsIn = async (options: object): Promise<string[]> => {
    const parsed = (await linesOf(exportSessions(store, options))).map(
      (line) => JSON.parse(line) as { session?: string; first?: number },
    )
    return parsed.flatMap(({ session, first }) => (first === undefined ? [] : [session as string]))
  }
  expect(await sessionsIn({ keys: ['odd', 'cut'] })).toEqual(['odd', 'cut'])
  expect(await sessionsIn({ prefix: 'c' })).toEqual(['compacted', 'cut'])
  await expect(sessionsIn({ keys: ['unknown'] })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(sessionsIn({ keys: ['odd'], prefix: 'c' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('a store that has looked for the session before sees it after the import', async () => {
  const from = await sampleBackend()
  await using store = await openStore('memory:')
  expect(await store.getHistory('plain')).toEqual([])
  const watched = store.watch('plain')[Symbol.asyncIterator]()
  const next = watched.next()
  await importSessions(store, exportSessions(from))
  expect(await store.getHistory('plain')).toEqual([{ role: 'user', content: 'hello' }])
  expect((await next).value).toMatchObject({ type: 'MessageAdded', seq: 1 })
  await store.addMessage('plain', 'user', 'goes on')
  expect(await store.verify()).toMatchObject({ ok: true })
})

test('a session that differs is reported and not changed', async () => {
  const from = await sampleBackend()
  await using store = await openStore('memory:')
  await store.addMessage('plain', 'user', 'mine')
  const report = await importSessions(store, exportSessions(from))
  expect(report).toMatchObject({ ok: false, counts: { copied: 5, conflict: 1 }, problems: [{ session: 'plain' }] })
  expect(await store.getHistory('plain')).toEqual([{ role: 'user', content: 'mine' }])
})

test('every damage is found, with its line, and nothing of the damaged session gets in', async () => {
  const from = await sampleBackend()
  const lines = await linesOf(exportSessions(from, { keys: ['plain', 'cut'] }))
  const random = seeded(runSeed('export damage'))
  for (let round = 0; round < 200; round++) {
    const damaged = [...lines]
    const index = 1 + random.below(lines.length - 1)
    const line = lines[index] as string
    const at = random.below(line.length - 1)
    const kind = random.pick(['flip', 'drop', 'cut', 'swap'] as const)
    if (kind === 'flip') {
      const other = line[at] === 'q' ? 'z' : 'q'
      damaged[index] = line.slice(0, at) + other + line.slice(at + 1)
    } else if (kind === 'drop') damaged.splice(index, 1)
    else if (kind === 'cut') damaged.splice(index, lines.length, line.slice(0, at))
    else if (index + 1 < lines.length) {
      damaged[index] = lines[index + 1] as string
      damaged[index + 1] = line
    } else continue
    const to = await openBackend()
    const importing = importSessions(to, streamOf(...damaged))
    await expect(importing, `${kind} in line ${index + 1} at ${at}`).rejects.toMatchObject({ code: 'CORRUPT' })
    for (const session of ['plain', 'cut']) {
      const there = await to.head(session)
      if (there !== undefined) expect(there.last).toBe((await from.head(session))?.last)
    }
  }
})

test('what is no export, or a newer one, is refused', async () => {
  const to = await openBackend()
  const attempt = (...chunks: string[]) => importSessions(to, streamOf(...chunks))
  await expect(attempt()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await expect(attempt('{"role":"user"}\n')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await expect(attempt('hello\n')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  const newer = '{"format":"turnlog-export","version":2}\n'
  await expect(attempt(newer)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  const header = '{"format":"turnlog-export","version":1,"redacted":false}\n'
  await expect(attempt(header)).rejects.toMatchObject({ code: 'CORRUPT' })
  const hostile = `${header}{"session":"a\\u0000b","first":1,"last":1,"incarnation":"i","projection":null}\n`
  await expect(attempt(hostile)).rejects.toMatchObject({ code: 'CORRUPT', line: 2 })
  await expect(importSessions(to, streamOf(new Uint8Array([0xff, 0x0a])))).rejects.toMatchObject({ code: 'CORRUPT' })
  await expect(importSessions({} as Backend, streamOf(''))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('whoever watches a session that is imported, and so begins anywhere, gets it from there', async () => {
  await using source = await openStore('memory:')
  for (const content of ['a', 'b', 'c']) await source.addMessage('k', 'user', content)
  await source.truncateHistory('k', 1)
  await source.compact('k')
  await using store = await openStore('memory:')
  const first = store.watch('k')[Symbol.asyncIterator]().next()
  await importSessions(store, exportSessions(source))
  const begin = (await source.events('k')[Symbol.asyncIterator]().next()).value as { seq: number }
  expect(begin.seq).toBeGreaterThan(1)
  expect(await first).toMatchObject({ value: { seq: begin.seq } })
})

test('a prefix that ends in the middle of a character is refused', async () => {
  await using store = await openStore('memory:')
  const next = exportSessions(store, { prefix: '\ud83d' }).next()
  await expect(next).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})
