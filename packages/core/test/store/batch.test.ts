import type { SessionBatch } from '@turnlog/core'
import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'gateway:7'

test('a batch is one append with one result, and its operations see the ones before them', async () => {
  const backend = memoryBackend()
  const store = await openStore(backend)
  await store.addMessages(
    KEY,
    ['a', 'b', 'c'].map((content) => ({ role: 'user', content })),
  )
  const { version } = await store.load(KEY)
  const result = await store.batch(
    KEY,
    (session) => {
      session.truncateHistory(1)
      session.addMessage('user', 'd')
      session.note('usage', { tokens: 7 })
      session.addMessage({ role: 'assistant', content: 'e' }, { unfinished: true })
      session.setMetadata({ title: 'all' })
      session.setSummary('a and b')
    },
    { expectedVersion: version },
  )
  const view = await store.load(KEY)
  expect(view).toMatchObject({ version: result.version, summary: 'a and b', metadata: { title: 'all' } })
  expect(view.messages.map(({ content }) => content)).toEqual(['c', 'd', 'e'])
  expect(result.positions).toEqual(view.positions.slice(1))
  expect(view.unfinished).toEqual([result.positions?.[1]])
  expect(result.prefix).toMatchObject({ kept: { messages: 0 }, lost: { messages: 3 } })
})

test('one refusal refuses all and writes nothing; an empty batch writes nothing', async () => {
  const store = await openStore(memoryBackend())
  await store.addMessage(KEY, 'user', 'a')
  const refused = store.batch(KEY, (session) => {
    session.addMessage('user', 'b')
    session.replaceMessage(99, { role: 'user', content: 'c' })
  })
  await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await store.batch(KEY, () => undefined)).toEqual({ version: 1 })
  expect(await store.load(KEY)).toMatchObject({ version: 1, positions: [1] })
})

test('a callback that is asynchronous, throws or goes on later is refused', async () => {
  const store = await openStore(memoryBackend())
  let kept: SessionBatch | undefined
  const asynchronous: (session: SessionBatch) => unknown = async (session) => session.addMessage('user', 'a')
  const attempts = [
    store.batch(KEY, asynchronous),
    store.batch(KEY, 'x' as never),
    store.batch(KEY, (session) => session.addMessage('user', 1 as never)),
    store.batch(KEY, (session) => session.addMessage('user', 'a', { operationId: 'x' } as never)),
    store.batch(KEY, (session) => {
      kept = session
      throw Object.assign(new Error('mine'), { code: 'INVALID_ARGUMENT' })
    }),
  ]
  for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(() => kept?.addMessage('user', 'late')).toThrow('collects only while')
  expect((await store.load(KEY)).version).toBe(0)
})

test('a repeat by operation id gives version and positions, also after compaction and from the storage', async () => {
  const backend = memoryBackend()
  const store = await openStore(backend)
  const write = { operationId: 'delivery:1' }
  const collect = (session: SessionBatch): void => {
    session.addMessage('user', 'a')
    session.note('delivery', 1)
    session.addMessages(['b', 'c'].map((content) => ({ role: 'user', content })))
    session.truncateHistory(2)
  }
  const { version, positions } = await store.batch(KEY, collect, write)
  expect(positions).toEqual([1, 3, 4])
  await store.compact(KEY)
  for (const again of [store, await openStore(backend)]) {
    expect(await again.batch(KEY, collect, write)).toEqual({ version, positions })
  }
  expect((await store.verify()).problems).toEqual([])
})

test('an addition that is larger than the limit by itself says where its messages are', async () => {
  const store = await openStore({ backend: memoryBackend(), limits: { maxMessages: 5 } })
  const messages = Array.from({ length: 10 }, (_, index) => ({ role: 'user', content: String(index) }))
  const { version, positions } = await store.addMessages(KEY, messages)
  expect(positions).toHaveLength(10)
  expect(version).toBeGreaterThan(positions.at(-1) as number)
  await store.replaceFrom(KEY, positions.at(-1) as number, [])
  expect((await store.getHistory(KEY)).at(-1)).toMatchObject({ content: '8' })
})

test('info gives what the head says, and nothing for a session that there is not', async () => {
  const store = await openStore(memoryBackend())
  expect(await store.info(KEY)).toBeUndefined()
  await store.batch(KEY, (session) => {
    session.addMessage('user', 'a')
    session.setMetadata({ language: 'it' })
  })
  expect(await store.info(KEY)).toMatchObject({ key: KEY, version: 2, messages: 1, metadata: { language: 'it' } })
  await store.deleteSession(KEY)
  expect(await store.info(KEY)).toBeUndefined()
})
