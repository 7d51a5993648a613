import { isStoreError, openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { wrapBackend } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { backendWith } from './faulty-backend.ts'

const KEY = 'busy'
const WRITERS = 10
const MESSAGES = 20

/** The same storage for several stores, as a database would be. */
function sharedBackend(): Backend {
  return backendWith((inner) => ({
    capabilities: { ...inner.capabilities, access: 'shared' },
    append: async (...args) => {
      await Promise.resolve()
      await inner.append(...args)
    },
    close: async () => undefined,
  }))
}

async function writeAll(stores: readonly SessionStore[]): Promise<void> {
  const progress = { done: false }
  const readers = Array.from({ length: 10 }, async (_, reader) => {
    let last = 0
    while (!progress.done) {
      const { messages, version } = await (stores[reader % stores.length] as SessionStore).load(KEY)
      expect(messages.length % 2, 'half of a batch').toBe(0)
      expect(version).toBeGreaterThanOrEqual(last)
      last = version
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const store = stores[writer % stores.length] as SessionStore
      for (let i = 0; i < MESSAGES; i++) {
        const pair = ['call', 'result'].map((role) => ({ role, content: `${writer}:${i}` }))
        await store.addMessages(KEY, pair)
      }
    }),
  )
  progress.done = true
  await Promise.all(readers)
}

function checkOrder(contents: readonly string[]): void {
  expect(contents.length).toBe(2 * WRITERS * MESSAGES)
  for (let writer = 0; writer < WRITERS; writer++) {
    const own = contents.filter((content) => content.startsWith(`${writer}:`))
    const expected = Array.from({ length: MESSAGES }, (_, i) => [`${writer}:${i}`, `${writer}:${i}`]).flat()
    expect(own).toEqual(expected)
  }
}

test('ten writers and ten readers on one session: everything once, in order, whole batches only', async () => {
  const store = await openStore(memoryBackend())
  await writeAll([store])
  checkOrder((await store.getHistory(KEY)).map(({ content }) => content as string))
})

test('the same over two stores that share a backend', async () => {
  const backend = sharedBackend()
  const stores = [await openStore(backend), await openStore(backend)]
  await writeAll(stores)
  for (const store of stores) checkOrder((await store.getHistory(KEY)).map(({ content }) => content as string))
  expect((await (stores[0] as SessionStore).verify()).problems).toEqual([])
})

test('with expectedVersion exactly one of the writers wins, and the others learn the true version', async () => {
  for (const stores of [[await openStore(memoryBackend())], await twoStores()]) {
    for (let version = 0; version < 20; version++) {
      const results = await Promise.allSettled(
        Array.from({ length: WRITERS }, (_, writer) =>
          (stores[writer % stores.length] as SessionStore).addMessage(KEY, 'user', 'x', { expectedVersion: version }),
        ),
      )
      const won = results.filter(({ status }) => status === 'fulfilled')
      expect(won).toMatchObject([{ status: 'fulfilled', value: { version: version + 1 } }])
      for (const result of results) {
        if (result.status === 'fulfilled') continue
        expect(isStoreError(result.reason, 'CONFLICT')).toBe(true)
        expect(result.reason).toMatchObject({ expected: version, actual: version + 1 })
      }
    }
  }
})

test('a view event of another store is seen, also if it brings back messages that were forgotten here', async () => {
  const [one, two] = (await twoStores()) as [SessionStore, SessionStore]
  for (let i = 0; i < 6; i++) await one.addMessage(KEY, 'user', String(i))
  await two.truncateHistory(KEY, 1)
  expect((await one.getHistory(KEY)).length).toBe(1)
  await two.restore(KEY, { at: 6 })
  expect((await one.getHistory(KEY)).length).toBe(6)
  await two.deleteSession(KEY, { erase: true })
  expect(await one.getHistory(KEY)).toEqual([])
})

test('a batch that is larger than an append may be is split between operations, never inside one', async () => {
  const appends: number[] = []
  const backend = backendWith((inner) => ({
    append: (...args) => {
      appends.push(args[2].length)
      return inner.append(...args)
    },
  }))
  const store = await openStore(backend)
  const text = 'x'.repeat(1024 * 1024)
  await Promise.all([
    ...Array.from({ length: 8 }, () => store.addMessage(KEY, 'user', text)),
    store.addMessages(
      KEY,
      Array.from({ length: 6 }, () => ({ role: 'user', content: text })),
    ),
  ])
  expect(appends.reduce((sum, count) => sum + count, 0)).toBe(14)
  expect(Math.max(...appends)).toBe(6)
})

async function twoStores(): Promise<SessionStore[]> {
  const backend = sharedBackend()
  return [await openStore(backend), await openStore(backend)]
}

test('a read never mixes two lives of a session, although another store erased it and made it anew in between', async () => {
  let between: (() => Promise<void>) | undefined
  const inner = sharedBackend()
  const backend = wrapBackend(inner, {
    head: async (session) => {
      const head = await inner.head(session)
      const meanwhile = between
      between = undefined
      await meanwhile?.()
      return head
    },
  })
  const writer = await openStore(inner)
  await writer.setMetadata(KEY, { owner: 'alice' })
  await writer.setSummary(KEY, 'of alice')
  await writer.addMessages(KEY, [
    { role: 'user', content: 'alice 1' },
    { role: 'user', content: 'alice 2' },
  ])
  const reader = await openStore(backend)
  between = async () => {
    await writer.deleteSession(KEY, { erase: true })
    for (let i = 1; i <= 4; i++) await writer.addMessage(KEY, 'user', `bob ${i}`)
  }
  const { metadata, summary, messages } = await reader.load(KEY)
  expect({ metadata, summary, said: messages.map(({ content }) => content) }).toEqual({
    metadata: {},
    summary: '',
    said: ['bob 1', 'bob 2', 'bob 3', 'bob 4'],
  })
  await reader.close()
  await writer.close()
})

test('closing waits for what has several steps and was begun before', async () => {
  const store = await openStore(memoryBackend())
  for (let i = 0; i < 10; i++) await store.addMessage(KEY, 'user', String(i))
  await store.truncateHistory(KEY, 2)
  const working = [store.fork(KEY, 'copy'), store.compact(KEY)]
  await store.close()
  const [forked, compacted] = await Promise.all(working)
  expect(forked).toMatchObject({ version: 4 })
  expect(compacted).toMatchObject({ eventsRemoved: expect.any(Number) as number })
})
