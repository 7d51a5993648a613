import { openStore } from '@turnlog/core'
import type { SessionStore, ToolLinks } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'refused'

/** Asked about any message, it fails as a function does that was written for another shape. */
function unfit(): ToolLinks {
  throw new TypeError('content.find is not a function')
}

async function add(store: SessionStore, ...contents: readonly string[]): Promise<void> {
  await store.addMessages(
    KEY,
    contents.map((content) => ({ role: 'user', content })),
  )
}

async function contents(store: SessionStore): Promise<unknown[]> {
  return (await store.getHistory(KEY)).map(({ content }) => content)
}

test('a summary whose cut cannot be planned is not set either, and the cause is told', async () => {
  const store = await openStore({ backend: memoryBackend(), toolLinks: unfit })
  await add(store, 'a', 'b', 'c')
  const request = { summary: 'of a', through: 1, version: 3 }
  await expect(store.summarize(KEY, request)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    cause: expect.any(TypeError),
  })
  expect(await store.load(KEY)).toMatchObject({ version: 3, summary: '' })
})

test('messages whose limit cannot be kept are not added', async () => {
  const store = await openStore({ backend: memoryBackend(), toolLinks: unfit, limits: { maxMessages: 3 } })
  await expect(add(store, 'a', 'b', 'c', 'd', 'e')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  expect(await store.load(KEY)).toMatchObject({ version: 0, messages: [] })
})

test('an operation that fails half-way does not disturb those of the same append, before it or behind it', async () => {
  let isUnfit = false
  const toolLinks = (): undefined => (isUnfit ? unfit() && undefined : undefined)
  const store = await openStore({ backend: memoryBackend(), toolLinks })
  await add(store, 'a', 'b')
  isUnfit = true
  const outcomes = await Promise.allSettled([
    store.addMessage(KEY, 'user', 'c'),
    store.summarize(KEY, { summary: 'of a', through: 1, version: 2 }),
    store.addMessage(KEY, 'user', 'd', { expectedVersion: 3 }),
    store.setSummary(KEY, 'by hand'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await store.load(KEY)).toMatchObject({ version: 5, summary: 'by hand' })
  expect(await contents(store)).toEqual(['a', 'b', 'c', 'd'])
})

test('an operation that is repeated is answered as the first time, although it could not be done any more', async () => {
  const store = await openStore(memoryBackend())
  await add(store, 'a', 'b', 'c')
  await store.truncateHistory(KEY, 1)
  const first = await store.restore(KEY, { at: 3 }, { operationId: 'undo' })
  await store.truncateHistory(KEY, 1)
  await store.compact(KEY)
  const { version } = first
  expect(await store.restore(KEY, { at: 3 }, { operationId: 'undo' })).toEqual({ version })
})

test('a summary whose cut would move back to the beginning is refused and writes nothing', async () => {
  const store = await openStore(memoryBackend())
  await store.addMessages(KEY, [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ])
  const request = { summary: 's', through: 1, version: 2 }
  await expect(store.summarize(KEY, request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(await store.load(KEY)).toMatchObject({ version: 2, summary: '' })
})

test('an addition that was cut by a limit is answered the same when it is repeated', async () => {
  const store = await openStore({ backend: memoryBackend(), limits: { maxMessages: 3 } })
  const messages = ['a', 'b', 'c', 'd', 'e', 'f'].map((content) => ({ role: 'user', content }))
  const first = await store.addMessages(KEY, messages, { operationId: 'six' })
  const { version, positions } = first
  expect(positions).toEqual([1, 2, 3, 4, 5, 6])
  expect(await store.addMessages(KEY, messages, { operationId: 'six' })).toEqual({ version, positions })
  expect((await contents(store)).at(-1)).toBe('f')
})

test('another version than the expected one is told before what else is wrong', async () => {
  const store = await openStore(memoryBackend())
  await add(store, 'a', 'b')
  await store.truncateHistory(KEY, 1)
  await store.compact(KEY)
  await expect(store.restore(KEY, { at: 1 })).rejects.toMatchObject({ code: 'TRIMMED' })
  await expect(store.restore(KEY, { at: 1 }, { expectedVersion: 1 })).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('what a toJSON makes of metadata or of a list is taken, and the object that has it is not', async () => {
  const store = await openStore(memoryBackend())
  const text = { toJSON: () => 'abc' } as unknown as Record<string, unknown>
  await expect(store.setMetadata(KEY, text)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  const list: unknown[] = [1]
  Object.freeze(Object.assign(list, { toJSON: () => list }))
  await store.addMessage(KEY, { role: 'user', content: 'a', list } as never)
  const [message] = (await store.getHistory(KEY)) as unknown as [{ list: unknown }]
  expect(message.list).not.toBe(list)
  expect(message.list).toEqual([1])
})

test('the place of a cut is the one that was asked for, whatever becomes of the object that said it', async () => {
  const store = await openStore(memoryBackend())
  await add(store, 'a', 'b', 'c')
  const target = { before: 2 }
  const cut = store.truncateHistory(KEY, target)
  target.before = 3
  expect(await cut).toMatchObject({ removed: 1 })
})

test('a view of more messages than fit on a stack is cut, replaced and read like any other', async () => {
  const store = await openStore(memoryBackend())
  const many = Array.from({ length: 140_000 }, (_, index) => ({ role: 'user', content: String(index) }))
  for (let from = 0; from < many.length; from += 20_000) await store.addMessages(KEY, many.slice(from, from + 20_000))
  expect(await store.truncateHistory(KEY, many.length - 1)).toMatchObject({ removed: 1 })
  await store.restore(KEY, { at: many.length })
  expect((await store.getHistory(KEY)).length).toBe(many.length)
})

test('metadata that was handed out cannot be changed, however it came into memory', async () => {
  const backend = memoryBackend()
  const store = await openStore(backend)
  const none = (await store.load('other')).metadata as Record<string, unknown>
  expect(() => (none['a'] = 1)).toThrow(TypeError)
  await store.setMetadata(KEY, { a: { b: 1 } })
  for (const { metadata } of [await store.load(KEY), await (await openStore(backend)).load(KEY)]) {
    const own = metadata as { a: { b: number } }
    expect(() => (own.a.b = 2)).toThrow(TypeError)
    expect(() => Object.assign(own, { c: 3 })).toThrow(TypeError)
  }
})

test('a session that is erased and written to at once begins anew, behind the erasure', async () => {
  const store = await openStore(memoryBackend())
  await add(store, 'secret')
  const [isErased, ...added] = await Promise.all([
    store.deleteSession(KEY, { erase: true }),
    store.addMessage(KEY, 'user', 'new'),
    store.addMessage(KEY, 'user', 'newer'),
  ])
  expect([isErased, ...added]).toMatchObject([true, { version: 1 }, { version: 2 }])
  expect(await contents(store)).toEqual(['new', 'newer'])
})
