import { openStore, StoreError } from '@turnlog/core'
import type { SessionEvent, SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

import { backendWith } from './faulty-backend.ts'

const KEY = 'a:1'

async function open(now = { ms: 1000 }): Promise<SessionStore> {
  return openStore({ backend: memoryBackend(), clock: { now: () => now.ms } })
}

async function say(store: SessionStore, ...contents: string[]): Promise<void> {
  await store.addMessages(
    KEY,
    contents.map((content) => ({ role: 'user', content })),
  )
}

async function contents(store: SessionStore, key = KEY, at?: number): Promise<unknown[]> {
  return (await store.getHistory(key, at === undefined ? undefined : { at })).map(({ content }) => content)
}

async function list<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('an unknown session is empty, at version 0, in every way of asking', async () => {
  const store = await open()
  expect(await store.getHistory(KEY)).toEqual([])
  expect(await store.getSummary(KEY)).toBe('')
  expect(await store.load(KEY)).toEqual({
    key: KEY,
    incarnation: '',
    version: 0,
    summary: '',
    messages: [],
    positions: [],
    times: [],
    unfinished: [],
    usage: {},
    metadata: {},
    createdAt: 0,
    updatedAt: 0,
  })
  expect(await list(store.events(KEY))).toEqual([])
  expect(await store.compact(KEY)).toEqual({ eventsRemoved: 0, bytesFreed: 0 })
  expect(await store.deleteSession(KEY)).toBe(false)
})

test('truncating keeps the last so many; 0 and less remove all, more than there are changes nothing', async () => {
  const store = await open()
  await say(store, 'a', 'b', 'c')
  expect(await store.truncateHistory(KEY, 5)).toMatchObject({ version: 3, kept: 3, removed: 0, moved: false })
  expect(await store.truncateHistory(KEY, 2)).toMatchObject({ version: 4, kept: 2, removed: 1, moved: false })
  expect(await contents(store)).toEqual(['b', 'c'])
  expect(await store.truncateHistory(KEY, -1)).toMatchObject({ version: 5, kept: 0, removed: 2, moved: false })
  expect(await contents(store)).toEqual([])
})

test('summarize keeps what was added meanwhile and refuses after another cut', async () => {
  const store = await open()
  await say(store, 'a', 'b', 'c')
  const seen = await store.load(KEY)
  await say(store, 'd')
  const through = seen.positions[1] as number
  expect(await store.summarize(KEY, { summary: 'a and b', through, version: seen.version })).toMatchObject({
    kept: 2,
    removed: 2,
  })
  expect(await contents(store)).toEqual(['c', 'd'])
  expect(await store.getSummary(KEY)).toBe('a and b')
  const late = { summary: 'late', through: seen.positions[2] as number, version: seen.version }
  await expect(store.summarize(KEY, late)).rejects.toMatchObject({ code: 'CONFLICT' })
  const gone = { summary: 'gone', through, version: (await store.load(KEY)).version }
  await expect(store.summarize(KEY, gone)).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('compaction in between does not spoil a summary in the making', async () => {
  const store = await open()
  await say(store, 'a', 'b', 'c', 'd', 'e', 'f')
  await store.truncateHistory(KEY, 3)
  const seen = await store.load(KEY)
  await store.compact(KEY)
  await store.summarize(KEY, { summary: 'd', through: seen.positions[0] as number, version: seen.version })
  expect(await contents(store)).toEqual(['e', 'f'])
})

test('history can be looked at as it was, until it is compacted', async () => {
  const store = await open()
  await say(store, 'a', 'b', 'c')
  await store.truncateHistory(KEY, 1)
  await store.setHistory(KEY, [{ role: 'user', content: 'new' }])
  expect(await contents(store, KEY, 2)).toEqual(['a', 'b'])
  expect(await contents(store, KEY, 4)).toEqual(['c'])
  expect(await contents(store, KEY, 0)).toEqual([])
  await expect(store.getHistory(KEY, { at: 99 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await store.compact(KEY)
  await expect(store.getHistory(KEY, { at: 2 })).rejects.toMatchObject({ code: 'TRIMMED' })
  await expect(store.restore(KEY, { at: 2 })).rejects.toMatchObject({ code: 'TRIMMED' })
  await expect(list(store.events(KEY, { from: 1 }))).rejects.toMatchObject({ code: 'TRIMMED' })
})

test('restore brings back view and summary, and is itself an event', async () => {
  const store = await open()
  await say(store, 'a', 'b', 'c')
  await store.setSummary(KEY, 'first')
  await store.summarize(KEY, { summary: 'second', through: 2, version: 4 })
  expect(await store.restore(KEY, { at: 4 })).toMatchObject({ version: 8 })
  expect(await contents(store)).toEqual(['a', 'b', 'c'])
  expect(await store.getSummary(KEY)).toBe('first')
  expect(await store.restore(KEY, { at: 4 })).toMatchObject({ version: 8 })
})

test('replaceFrom pops, regenerates and edits', async () => {
  const store = await open()
  await say(store, 'a', 'b', 'c')
  await store.replaceFrom(KEY, 3, [])
  expect(await contents(store)).toEqual(['a', 'b'])
  expect(
    await store.replaceFrom(KEY, 2, [
      { role: 'user', content: 'B' },
      { role: 'assistant', content: 'C' },
    ]),
  ).toMatchObject({ version: 7 })
  expect((await store.load(KEY)).positions).toEqual([1, 6, 7])
  await expect(store.replaceFrom(KEY, 3, [])).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('fork takes view, summary, metadata and times, and refuses an existing or an unknown session', async () => {
  const now = { ms: 1000 }
  const store = await open(now)
  await say(store, 'a', 'b')
  await store.setSummary(KEY, 'S')
  await store.setMetadata(KEY, { title: 'T' })
  now.ms = 5000
  await store.fork(KEY, 'b', { at: 3 })
  expect(await store.load('b')).toMatchObject({
    summary: 'S',
    metadata: { title: 'T' },
    times: [1000, 1000],
    createdAt: 5000,
  })
  expect(await contents(store, 'b')).toEqual(['a', 'b'])
  await store.fork(KEY, 'c', { at: 1 })
  expect(await store.load('c')).toMatchObject({ summary: '' })
  expect(await contents(store, 'c')).toEqual(['a'])
  await expect(store.fork(KEY, 'b')).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(store.fork('nobody', 'd')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(store.fork(KEY, 'd', { at: 99 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('metadata merges top-level fields, and null removes one', async () => {
  const store = await open()
  await store.setMetadata(KEY, { a: 1, b: { c: 2 } })
  await store.setMetadata(KEY, { a: null, d: 3 })
  expect((await store.load(KEY)).metadata).toEqual({ b: { c: 2 }, d: 3 })
  expect(await store.setMetadata(KEY, { d: 3 })).toMatchObject({ version: 2 })
})

test('notes are in the log and not in the view', async () => {
  const store = await open()
  await say(store, 'a')
  await store.note(KEY, 'usage', { tokens: 5 })
  expect(await contents(store)).toEqual(['a'])
  expect((await list(store.events(KEY, { from: 2 })))[0]).toMatchObject({
    type: 'Noted',
    kind: 'usage',
    data: { tokens: 5 },
  })
})

test('notes between messages do not split runs', async () => {
  const store = await open()
  for (let i = 0; i < 10; i++) {
    await say(store, String(i))
    await store.note(KEY, 'usage', i)
  }
  await store.truncateHistory(KEY, 5)
  const [cut] = await list(store.events(KEY, { reverse: true, limit: 1 }))
  expect(cut).toMatchObject({ type: 'Truncated', view: [[11, 19]] })
})

test('a deleted session is gone from listings, and its numbers go on when it is used again', async () => {
  const store = await open()
  await say(store, 'a', 'b')
  await store.setSummary(KEY, 'S')
  expect(await store.deleteSession(KEY, { reason: 'asked' })).toBe(true)
  expect(await list(store.listSessions())).toEqual([])
  expect(await store.load(KEY)).toMatchObject({ version: 0, messages: [], summary: '' })
  expect(await list(store.events(KEY))).toMatchObject([
    { seq: 4, type: 'SessionDeleted', reason: 'asked', removedEvents: 3, removedMessages: 2 },
  ])
  expect(await store.addMessage(KEY, 'user', 'again', { expectedVersion: 0 })).toMatchObject({ version: 5 })
  expect(await contents(store)).toEqual(['again'])
})

test('an erased session leaves nothing, and numbers begin at 1', async () => {
  const backend = memoryBackend()
  const store = await openStore(backend)
  await say(store, 'a', 'b')
  const { incarnation } = (await backend.head(KEY)) as { incarnation: string }
  expect(await store.deleteSession(KEY, { erase: true })).toBe(true)
  expect(await backend.head(KEY)).toBeUndefined()
  expect(await store.addMessage(KEY, 'user', 'again')).toMatchObject({ version: 1 })
  expect((await backend.head(KEY))?.incarnation).not.toBe(incarnation)
})

test('an erasure that fails half-way is finished by asking for it again', async () => {
  const left = new Set<string>()
  const backend = backendWith((inner) => ({
    async erase(session, expectedLast) {
      await inner.erase(session, expectedLast)
      if (expectedLast === 0) left.delete(session)
      else {
        left.add(session)
        throw new StoreError('IO', 'The disk failed.')
      }
    },
  }))
  const store = await openStore(backend)
  await say(store, 'a', 'b')
  await expect(store.deleteSession(KEY, { erase: true })).rejects.toMatchObject({ code: 'IO' })
  expect(left.size).toBe(1)
  expect(await store.deleteSession(KEY, { erase: true })).toBe(false)
  expect(left.size).toBe(0)
  expect(await store.addMessage(KEY, 'user', 'again')).toMatchObject({ version: 1 })
})

test('expire deletes what was idle for longer, and only with the prefix', async () => {
  const now = { ms: 1000 }
  const store = await open(now)
  for (const key of ['cron:1', 'cron:2', 'chat:1']) await store.addMessage(key, 'user', 'x')
  now.ms = 5000
  await store.addMessage('cron:2', 'user', 'y')
  now.ms = 5001
  expect(await store.expire({ idleForMs: 4000, prefix: 'cron:' })).toEqual({ sessions: 1 })
  expect((await list(store.listSessions())).map(({ key }) => key)).toEqual(['chat:1', 'cron:2'])
})

test('sessions are listed in byte order, by prefix, after a key, and as many as asked', async () => {
  const store = await open()
  for (const key of ['b', 'a', 'ä', '\u{1f600}', '\ufffd', 'ab']) await store.addMessage(key, 'user', 'x')
  const keys = async (options?: object): Promise<string[]> =>
    (await list(store.listSessions(options))).map(({ key }) => key)
  expect(await keys()).toEqual(['a', 'ab', 'b', 'ä', '\ufffd', '\u{1f600}'])
  expect(await keys({ prefix: 'a' })).toEqual(['a', 'ab'])
  expect(await keys({ after: 'ab', limit: 2 })).toEqual(['b', 'ä'])
  expect(await keys({ limit: 0 })).toEqual([])
})

test('watch delivers what comes after now, in order, and ends when the store closes', async () => {
  const store = await open()
  await say(store, 'before')
  const seen: SessionEvent<object>[] = []
  const watching = (async () => {
    for await (const event of store.watch(KEY)) seen.push(event)
  })()
  await say(store, 'a')
  await say(store, 'b', 'c')
  while (seen.length < 3) await new Promise((resolve) => setImmediate(resolve))
  await store.close()
  await watching
  expect(seen.map(({ seq }) => seq)).toEqual([2, 3, 4])
})

test('watch catches up from a seq, ends by its signal, and tells of what was trimmed', async () => {
  const store = await open()
  await say(store, 'a', 'b', 'c')
  const stop = new AbortController()
  const seqs: number[] = []
  for await (const { seq } of store.watch(KEY, { after: 1, signal: stop.signal })) {
    seqs.push(seq)
    if (seq === 3) stop.abort()
  }
  expect(seqs).toEqual([2, 3])
  await store.truncateHistory(KEY, 0)
  await store.compact(KEY)
  await expect(list(store.watch(KEY, { after: 1 }))).rejects.toMatchObject({ code: 'TRIMMED' })
})

test('compaction does not count as use', async () => {
  const now = { ms: 1000 }
  const store = await open(now)
  await say(store, 'a', 'b', 'c')
  await store.truncateHistory(KEY, 1)
  now.ms = 9000
  expect((await store.compact(KEY)).eventsRemoved).toBeGreaterThan(0)
  expect(await store.load(KEY)).toMatchObject({ createdAt: 1000, updatedAt: 1000, times: [1000] })
})

test('one old message does not keep a thousand dead ones', async () => {
  const store = await open()
  await store.addMessage(KEY, 'system', 'prompt')
  await say(store, ...Array.from({ length: 1000 }, (_, i) => String(i)))
  const { messages } = await store.load(KEY)
  await store.setHistory(KEY, [messages[0] as (typeof messages)[0], ...messages.slice(-20)])
  expect((await store.compact(KEY)).eventsRemoved).toBeGreaterThan(900)
  expect((await store.load(KEY)).messages.length).toBe(21)
  expect((await list(store.events(KEY))).length).toBeLessThan(60)
})
