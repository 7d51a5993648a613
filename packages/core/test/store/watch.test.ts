import { openStore } from '@turnlog/core'
import type { Message, SessionEvent, SessionStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { expect, test } from 'vitest'
import { backendWith } from './faulty-backend.ts'

const KEY = 'watched'

function says(...contents: string[]): Message[] {
  return contents.map((content) => ({ role: 'user', content }))
}

/** A memory backend that never hands out one event, although its head counts it. */
function losing(seq: number): Backend {
  return backendWith((inner) => ({
    async *read(...args) {
      for await (const batch of inner.read(...args)) yield batch.filter((record) => record.seq !== seq)
    },
  }))
}

/** What an iteration came to: the seqs, and the code of the error that ended it. */
async function outcome(events: AsyncIterable<SessionEvent<object>>): Promise<(number | string)[]> {
  const seen: (number | string)[] = []
  try {
    for await (const { seq } of events) seen.push(seq)
  } catch (error) {
    seen.push((error as { code: string }).code)
  }
  return seen
}

test.each([
  [2, [1, 'CORRUPT']],
  [3, [1, 2, 'CORRUPT']],
])('an event that the storage lost, the %ith, is CORRUPT for events() and for watch()', async (lost, expected) => {
  const store = await openStore(losing(lost))
  await store.addMessages(KEY, says('a', 'b', 'c'))
  expect(await outcome(store.events(KEY))).toEqual(expected)
  expect(await outcome(store.watch(KEY, { after: 0 }))).toEqual(expected)
  await store.close()
})

test('a lost event is found in every part of the log that is asked for', async () => {
  const store = await openStore(losing(3))
  await store.addMessages(KEY, says('a', 'b', 'c'))
  expect(await outcome(store.events(KEY, { reverse: true }))).toEqual(['CORRUPT'])
  expect(await outcome(store.events(KEY, { from: 3, to: 3 }))).toEqual(['CORRUPT'])
  expect(await outcome(store.events(KEY, { limit: 3 }))).toEqual([1, 2, 'CORRUPT'])
  expect(await outcome(store.events(KEY, { limit: 2 }))).toEqual([1, 2])
  await store.close()
})

test('the whole log of a compacted session can be asked for from 0 on', async () => {
  const store = await openStore(losing(0))
  await store.addMessages(KEY, says('a', 'b', 'c'))
  await store.truncateHistory(KEY, 0)
  await store.compact(KEY)
  const all = await outcome(store.events(KEY))
  expect(all).not.toContain(1)
  expect(await outcome(store.events(KEY, { from: 0 }))).toEqual(all)
  expect(await outcome(store.events(KEY, { from: 0, reverse: true }))).toEqual(all.toReversed())
  await store.close()
})

/** A store that compacts away the events from 3 on when somebody comes to read them. */
async function trimmingStore(): Promise<SessionStore> {
  let isArmed = true
  const backend = backendWith((inner) => ({
    async *read(session, ranges, options) {
      if (isArmed && ranges[0]?.from === 3) {
        isArmed = false
        await store.truncateHistory(KEY, 0)
        await store.compact(KEY)
      }
      yield* inner.read(session, ranges, options)
    },
  }))
  const store = await openStore(backend)
  await store.addMessages(KEY, says('a', 'b', 'c', 'd'))
  return store
}

test('events that are trimmed between head and read are TRIMMED, not passed over', async () => {
  const watched = await trimmingStore()
  expect(await outcome(watched.watch(KEY, { after: 2 }))).toEqual(['TRIMMED'])
  await watched.close()
  const read = await trimmingStore()
  expect(await outcome(read.events(KEY, { from: 3 }))).toEqual(['TRIMMED'])
  await read.close()
})

test('what another process takes back was never there', async () => {
  const other = { isWritten: true }
  const backend = backendWith((inner) => ({
    async head(session) {
      const head = await inner.head(session)
      return head === undefined || other.isWritten ? head : { ...head, last: 1 }
    },
    async *read(session, ranges, options) {
      other.isWritten = false
      yield* inner.read(session, ranges, { ...options, limit: 1 })
    },
  }))
  const store = await openStore(backend)
  await store.addMessages(KEY, says('a', 'b'))
  expect(await outcome(store.events(KEY))).toEqual([1, 'IO'])
  other.isWritten = true
  const watching = outcome(store.watch(KEY, { after: 0 }))
  while (other.isWritten) await new Promise((resolve) => setImmediate(resolve))
  await store.close()
  expect(await watching).toEqual([1])
})

test('a watch that is left gives back what the backend set up to wake it', async () => {
  const hints = { alive: 0 }
  const backend = backendWith((inner) => ({
    capabilities: { ...inner.capabilities, access: 'shared' },
    // oxlint-disable-next-line require-yield
    async *wake(_session, signal) {
      hints.alive++
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
      })
      hints.alive--
    },
  }))
  const store = await openStore(backend)
  await store.addMessages(KEY, says('a'))
  for (let i = 0; i < 3; i++) {
    for await (const _event of store.watch(KEY, { after: 0 })) {
      expect(hints.alive).toBe(1)
      break
    }
    while (hints.alive > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await store.close()
})

test('many watches at once, also with one signal, are no leak to Node', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error): void => void warnings.push(warning)
  process.on('warning', warned)
  const store = await openStore(losing(0))
  const stop = new AbortController()
  const watches = Array.from({ length: 20 }, () => outcome(store.watch(KEY, { signal: stop.signal })))
  const others = Array.from({ length: 20 }, () => outcome(store.watch(KEY)))
  await store.addMessages(KEY, says('a'))
  stop.abort()
  await Promise.all(watches)
  await store.close()
  await Promise.all(others)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', warned)
  expect(warnings).toEqual([])
})

test('a session that is erased and made anew before somebody looks is delivered from its beginning', async () => {
  const store = await openStore(losing(0))
  await store.addMessages(KEY, says('a', 'b', 'c'))
  const watching = store.watch(KEY)[Symbol.asyncIterator]()
  await store.deleteSession(KEY, { erase: true })
  await store.addMessages(KEY, says('new'))
  expect(await watching.next()).toMatchObject({ value: { seq: 1, message: { content: 'new' } } })
  await store.close()
})

test('a watch that is left while it waits ends at once, also behind a stream', async () => {
  const store = await openStore(losing(0))
  await store.addMessages(KEY, says('a'))
  const watching = store.watch(KEY)[Symbol.asyncIterator]()
  const waiting = watching.next()
  expect(await watching.return?.()).toMatchObject({ done: true })
  expect(await waiting).toMatchObject({ done: true })
  const reader = ReadableStream.from(store.watch(KEY)).getReader()
  const reading = reader.read()
  await reader.cancel()
  expect(await reading).toMatchObject({ done: true })
  await store.close()
})
