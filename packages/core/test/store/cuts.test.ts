import { openStore, repairPairs } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'cuts'

interface Item {
  readonly role?: string
  readonly type?: string
  readonly [field: string]: unknown
}

const user: Item = { role: 'user', content: 'question' }
const call = (...ids: string[]): Item => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
})
const result = (id: string): Item => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const answer: Item = { role: 'assistant', content: 'answer' }

async function storeOf(messages: readonly Item[]): Promise<SessionStore<Item>> {
  const store = await openStore<Item>(memoryBackend())
  await store.addMessages(KEY, messages)
  return store
}

/** What cutting and limiting to the last so many gives; the two must agree. */
async function lastOf(messages: readonly Item[], keep: number): Promise<Item[]> {
  const store = await storeOf(messages)
  const limited = await store.getHistory(KEY, { limit: keep })
  await store.truncateHistory(KEY, keep)
  expect(await store.getHistory(KEY)).toEqual(limited)
  return limited
}

test('a cut between a call and its result moves back to the call', async () => {
  const turn = [user, call('x'), result('x'), answer]
  expect(await lastOf(turn, 2)).toEqual(turn.slice(1))
  const store = await storeOf(turn)
  expect(await store.truncateHistory(KEY, 2)).toMatchObject({ kept: 3, removed: 1, moved: true })
})

test('parallel calls keep all their results', async () => {
  const turn = [user, call('x', 'y'), result('x'), result('y'), answer]
  for (const keep of [2, 3]) expect(await lastOf(turn, keep)).toEqual(turn.slice(1))
})

test('ids that repeat across turns pair within their own turn', async () => {
  const turn = [user, call('call_0'), result('call_0'), answer]
  const twice = [...turn, ...turn]
  expect(await lastOf(twice, 4)).toEqual(turn)
  expect(await lastOf(twice, 2)).toEqual(turn.slice(1))
})

test('a reasoning item stays with the call that follows it', async () => {
  const items: Item[] = [
    user,
    { type: 'reasoning', id: 'r' },
    { type: 'function_call', call_id: 'x', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'x', output: 'ok' },
  ]
  expect(await lastOf(items, 1)).toEqual(items.slice(1))
  expect(await lastOf(items, 2)).toEqual(items.slice(1))
})

test('a cut never goes through a pending call at the tail, unless everything goes', async () => {
  const pending = [user, answer, user, call('x')]
  const store = await storeOf(pending)
  expect(await store.getHistory(KEY, { limit: 1 })).toEqual([call('x')])
  await store.truncateHistory(KEY, 1)
  await store.addMessage(KEY, result('x'))
  expect(await store.getHistory(KEY)).toEqual([call('x'), result('x')])
  await store.truncateHistory(KEY, 0)
  expect(await store.getHistory(KEY)).toEqual([])
})

test('summarising through a pending call keeps it', async () => {
  const store = await storeOf([user, answer, user, call('x')])
  const { version, positions } = await store.load(KEY)
  const cut = await store.summarize(KEY, { summary: 's', through: positions[3] as number, version })
  expect(cut).toMatchObject({ kept: 1, removed: 3, moved: true })
})

test('a late result after everything was cut is shown as it is, and dropped by repair', async () => {
  const store = await storeOf([user, call('x')])
  await store.truncateHistory(KEY, 0)
  await store.addMessages(KEY, [result('x'), user])
  expect(await store.getHistory(KEY)).toEqual([result('x'), user])
  expect(await store.getHistory(KEY, { repair: true })).toEqual([user])
  expect((await store.load(KEY)).messages.length).toBe(2)
})

test('an interrupted call is answered by repair, the same way every time', async () => {
  const store = await storeOf([user, call('x', 'y'), result('x'), user, answer])
  const once = await store.getHistory(KEY, { repair: true })
  expect(once.every((message) => Object.isFrozen(message))).toBe(true)
  expect(once.length).toBe(6)
  expect(once[3]).toMatchObject({ role: 'tool', tool_call_id: 'y' })
  expect(JSON.stringify(await store.getHistory(KEY, { repair: true }))).toBe(JSON.stringify(once))
  expect(repairPairs(once).repairs).toEqual([])
})

test('a fork takes the view as it is: a pending call stays pending, and its result may come', async () => {
  const store = await storeOf([user, call('call_0'), result('call_0'), answer, user, call('call_0'), result('call_0')])
  await store.fork(KEY, 'forked', { at: 6 })
  const pending = await store.getHistory('forked')
  expect(pending.at(-1)).toEqual(call('call_0'))
  expect(await store.getHistory('forked', { repair: true })).toEqual(pending)
  await store.addMessage('forked', result('call_0'))
  expect(await store.truncateHistory('forked', 1)).toMatchObject({ kept: 2, moved: true })
})

test('a fork in the middle of parallel calls keeps them together in later cuts', async () => {
  const store = await storeOf([user, call('x', 'y'), result('x'), result('y'), answer])
  await store.fork(KEY, 'forked', { at: 3 })
  expect(await store.getHistory('forked', { limit: 1 })).toEqual([call('x', 'y'), result('x')])
})

test('exact cuts blindly', async () => {
  const store = await storeOf([user, call('x'), result('x')])
  expect(await store.getHistory(KEY, { limit: 1, exact: true })).toEqual([result('x')])
  expect(await store.truncateHistory(KEY, 1, { exact: true })).toMatchObject({ kept: 1, moved: false })
})

test('toolLinks in the configuration is asked first', async () => {
  const store = await openStore<Item>({
    backend: memoryBackend(),
    toolLinks: ({ type, id }) =>
      type === 'ask'
        ? { calls: [String(id)], results: [] }
        : type === 'reply'
          ? { calls: [], results: [String(id)] }
          : undefined,
  })
  await store.addMessages(KEY, [user, { type: 'ask', id: 1 }, { type: 'reply', id: 1 }])
  expect(await store.getHistory(KEY, { limit: 1 })).toHaveLength(2)
})
