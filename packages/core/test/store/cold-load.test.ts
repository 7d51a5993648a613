import { openStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { expect, test } from 'vitest'
import { backendWith } from './faulty-backend.ts'

const KEY = 'cold'

function countingBackend(): { backend: Backend; seqs: number[]; reads: () => number } {
  const seqs: number[] = []
  let reads = 0
  const backend = backendWith((inner) => ({
    async *read(...args) {
      reads++
      for await (const batch of inner.read(...args)) {
        for (const { seq } of batch) seqs.push(seq)
        yield batch
      }
    },
  }))
  return { backend, seqs, reads: () => reads }
}

test('a cold load reads the view event, its runs, the summary and what came after, and nothing else', async () => {
  const { backend, seqs, reads } = countingBackend()
  const store = await openStore(backend)
  await store.addMessage(KEY, 'system', 'be kind')
  const dead = Array.from({ length: 9979 }, (_, i) => ({ role: 'user', content: String(i) }))
  await store.addMessages(KEY, dead)
  await store.addMessages(
    KEY,
    dead.slice(0, 20).map(({ content }) => ({ role: 'assistant', content })),
  )
  await store.setSummary(KEY, 'all of it')
  const { messages } = await store.load(KEY)
  const wanted = [messages[0] as (typeof messages)[0], ...messages.slice(-20)]
  await store.setHistory(KEY, wanted)
  await store.addMessage(KEY, 'user', 'after')
  seqs.length = 0
  const before = reads()

  const cold = await openStore({ backend, viewCacheBytes: 0 })
  const view = await cold.load(KEY)
  expect(view.messages).toEqual([...wanted, { role: 'user', content: 'after' }])
  expect(view.summary).toBe('all of it')
  expect(seqs).toEqual([1, ...Array.from({ length: 20 }, (_, i) => 9981 + i), 10001, 10002, 10003])
  expect(reads() - before).toBe(1)
})

test('adding to a session that is not in memory reads none of its events', async () => {
  const { backend, reads } = countingBackend()
  const store = await openStore({ backend, viewCacheBytes: 0 })
  for (let i = 0; i < 10; i++) await store.addMessage(KEY, 'user', String(i))
  await store.truncateHistory(KEY, 5)
  await store.setSummary(KEY, 'half of it')
  const before = reads()
  await store.addMessages(KEY, [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ])
  await store.setMetadata(KEY, { title: 'cold' })
  await store.note(KEY, 'usage', 1)
  await store.setSummary(KEY, 'more of it')
  expect(reads()).toBe(before)
  const { messages, ...view } = await store.load(KEY)
  expect(messages.map(({ content }) => content)).toEqual(['5', '6', '7', '8', '9', 'a', 'b'])
  expect(view).toMatchObject({ summary: 'more of it', metadata: { title: 'cold' } })
  expect((await store.verify()).problems).toEqual([])
})

test('of a session that is only added to, its outline stays in memory, and reading it brings the rest', async () => {
  let heads = 0
  const backend = backendWith((inner) => ({
    head: async (session) => {
      heads++
      return inner.head(session)
    },
  }))
  // Room for an outline, and not for this view.
  const store = await openStore({ backend, viewCacheBytes: 20_000 })
  const contents = Array.from({ length: 200 }, (_, i) => String(i))
  await store.addMessages(
    KEY,
    contents.map((content) => ({ role: 'user', content })),
  )
  for (const content of ['a', 'b', 'c']) await store.addMessage(KEY, 'user', content)
  await store.setMetadata(KEY, { title: 'kept' })
  expect(heads).toBe(1)
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual([...contents, 'a', 'b', 'c'])
  await store.addMessage(KEY, 'user', 'd')
  await store.truncateHistory(KEY, 2)
  await store.addMessage(KEY, 'user', 'e')
  const { messages, metadata } = await store.load(KEY)
  expect(messages.map(({ content }) => content)).toEqual(['c', 'd', 'e'])
  expect(metadata).toEqual({ title: 'kept' })
  expect((await store.verify()).problems).toEqual([])
})

test('a session that began here is read once, and then kept up to date in memory', async () => {
  const { backend, seqs } = countingBackend()
  const store = await openStore(backend)
  for (const content of ['a', 'b', 'c']) await store.addMessage(KEY, 'user', content)
  expect(seqs).toEqual([])
  expect(await store.getHistory(KEY)).toHaveLength(3)
  expect(seqs).toEqual([1, 2, 3])
  await store.addMessage(KEY, 'assistant', 'd')
  expect((await store.getHistory(KEY)).at(-1)).toEqual({ role: 'assistant', content: 'd' })
  expect(seqs).toEqual([1, 2, 3])
})

test('reading many sessions once pushes out none that is in use', async () => {
  const { backend, reads } = countingBackend()
  const writer = await openStore(backend)
  const keys = Array.from({ length: 50 }, (_, index) => `read once ${index}`)
  for (const key of [KEY, ...keys]) await writer.addMessage(key, 'user', 'x'.repeat(1000))
  // Room for the one in use and a few others.
  const store = await openStore({ backend, viewCacheBytes: 10_000 })
  const [first] = await store.getHistory(KEY)
  const [second] = await store.getHistory(KEY)
  expect(second).toBe(first)
  for (const key of keys) expect(await store.getHistory(key)).toHaveLength(1)
  const before = reads()
  expect((await store.getHistory(KEY))[0]).toBe(first)
  expect(reads()).toBe(before)
})

test('a session that was read once is kept when it is read again, also after others', async () => {
  const { backend, reads } = countingBackend()
  const writer = await openStore(backend)
  for (const key of [KEY, 'other']) await writer.addMessage(key, 'user', 'hello')
  const store = await openStore(backend)
  for (const key of [KEY, 'other', KEY]) await store.getHistory(key)
  expect(reads()).toBe(3)
  for (const key of [KEY, 'other', KEY]) await store.getHistory(key)
  expect(reads()).toBe(3)
})

test('what was read last is in hand for the write that follows, and up to date after it', async () => {
  const { backend, reads } = countingBackend()
  const writer = await openStore(backend)
  for (const content of ['a', 'b', 'c']) await writer.addMessage(KEY, 'user', content)
  const store = await openStore(backend)
  const { version } = await store.load(KEY)
  await store.truncateHistory(KEY, 2, { expectedVersion: version })
  await store.addMessage(KEY, 'user', 'd')
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['b', 'c', 'd'])
  expect(reads()).toBe(1)
  await store.deleteSession(KEY)
  expect(await store.getHistory(KEY)).toEqual([])
})

test('listing, summary and expiry never scan a log', async () => {
  const { backend, seqs } = countingBackend()
  const store = await openStore(backend)
  await store.addMessages(
    KEY,
    Array.from({ length: 1000 }, (_, i) => ({ role: 'user', content: String(i) })),
  )
  await store.truncateHistory(KEY, 1)
  await store.setSummary(KEY, 'short')
  seqs.length = 0
  const cold = await openStore({ backend, viewCacheBytes: 0 })
  for await (const info of cold.listSessions()) expect(info).toMatchObject({ key: KEY, messages: 1, version: 1002 })
  await cold.expire({ idleForMs: 1_000_000 })
  expect(seqs).toEqual([])
  expect(await cold.getSummary(KEY)).toBe('short')
  expect(seqs.length).toBeLessThanOrEqual(3)
})

test('a projection that is missing or wrong is rebuilt from the log', async () => {
  for (const broken of [null, { p: 2 }, 'x', { p: 1, messages: 'many' }]) {
    const backend = backendWith((inner) => ({
      head: async (session) => {
        const head = await inner.head(session)
        return head === undefined ? undefined : { ...head, projection: broken }
      },
      async *list(range) {
        for await (const batch of inner.list(range))
          yield batch.map((head) => Object.assign({ ...head }, { projection: broken }))
      },
    }))
    const store = await openStore({ backend, viewCacheBytes: 0 })
    for (let i = 0; i < 5; i++) await store.addMessage(KEY, 'user', String(i))
    await store.truncateHistory(KEY, 2)
    expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['3', '4'])
    for await (const { messages } of store.listSessions()) expect(messages).toBe(2)
    // Missing is not wrong: a repair that wrote the log anew leaves it to the next write to derive it.
    expect((await store.verify()).problems.length).toBe(broken === null ? 0 : 1)
  }
})

test('a projection that disagrees with the log is not believed', async () => {
  const backend = backendWith((inner) => ({
    head: async (session) => {
      const head = await inner.head(session)
      if (head === undefined) return undefined
      return { ...head, projection: { ...(head.projection as object), messages: 99 } }
    },
  }))
  const store = await openStore({ backend, viewCacheBytes: 0 })
  await store.addMessage(KEY, 'user', 'one')
  expect((await store.getHistory(KEY)).length).toBe(1)
})

test('an event that is missing in the middle is CORRUPT, with session and seq', async () => {
  const backend = backendWith((inner) => ({
    async *read(...args) {
      for await (const batch of inner.read(...args)) yield batch.filter(({ seq }) => seq !== 3)
    },
  }))
  const writer = await openStore(backend)
  for (let i = 0; i < 5; i++) await writer.addMessage('elsewhere', 'user', 'x')
  const store = await openStore({ backend, viewCacheBytes: 0 })
  await expect(store.getHistory('elsewhere')).rejects.toMatchObject({ code: 'CORRUPT', session: 'elsewhere', seq: 3 })
  expect((await store.verify()).problems).toMatchObject([{ session: 'elsewhere', seq: 3 }])
})
