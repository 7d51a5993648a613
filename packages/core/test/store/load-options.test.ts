import { openStore } from '@turnlog/core'
import type { Message, SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'a:1'

const call = {
  role: 'assistant',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
}
const result = { role: 'tool', tool_call_id: 'c1', content: 'done' }

async function open(messages: readonly Message[]): Promise<SessionStore> {
  let now = 1000
  const store = await openStore({ backend: memoryBackend(), clock: { now: () => (now += 10) } })
  for (const message of messages) await store.addMessage(KEY, message)
  return store
}

const user = (content: string): Message => ({ role: 'user', content })

test('load gives a past version: its messages, positions, times and summary', async () => {
  await using store = await open([user('a'), user('b'), user('c')])
  await store.setSummary(KEY, 'old')
  const before = await store.load(KEY)
  await store.truncateHistory(KEY, 1)
  await store.setSummary(KEY, 'new')
  await store.setMetadata(KEY, { title: 'now' })
  const now = await store.load(KEY)
  const { version, summary, messages, positions, times, ...rest } = await store.load(KEY, { at: before.version })
  expect({ version, summary, messages, positions, times }).toEqual({
    version: before.version,
    summary: 'old',
    messages: before.messages,
    positions: [1, 2, 3],
    times: before.times,
  })
  const { metadata, createdAt, updatedAt, incarnation } = now
  expect(rest).toEqual({ key: KEY, incarnation, unfinished: [], usage: {}, metadata, createdAt, updatedAt })
  expect(await store.load(KEY, { at: now.version })).toEqual(now)
  expect(await store.load(KEY, { at: 0 })).toMatchObject({ version: 0, summary: '', messages: [], positions: [] })
})

test('load limits as getHistory does, and positions and times go with their messages', async () => {
  await using store = await open([user('a'), call, result, user('b')])
  const all = await store.load(KEY)
  for (const options of [{ limit: 2 }, { limit: 2, exact: true }, { limit: 0 }, { limit: 9 }, { limit: 2, at: 3 }]) {
    const view = await store.load(KEY, options)
    expect(view.messages).toEqual(await store.getHistory(KEY, options))
    expect(view.times).toHaveLength(view.messages.length)
    for (const [index, position] of view.positions.entries()) {
      expect(view.messages[index]).toEqual(all.messages[position - 1])
      expect(view.times[index]).toBe(all.times[position - 1])
    }
  }
  expect((await store.load(KEY, { limit: 2 })).positions).toEqual([2, 3, 4])
  expect((await store.load(KEY, { limit: 2, exact: true })).positions).toEqual([3, 4])
})

test('a repaired load leaves out the positions of dropped messages, and a made answer has that of its call', async () => {
  await using store = await open([{ ...result, tool_call_id: 'lost' }, user('a'), call, user('b')])
  const { messages, positions, times } = await store.load(KEY, { repair: true })
  expect(messages).toEqual(await store.getHistory(KEY, { repair: true }))
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(positions).toEqual([2, 3, 3, 4])
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect((await store.load(KEY)).messages).toHaveLength(4)
})

test('load copies if asked to', async () => {
  await using store = await open([user('a')])
  const [shared] = (await store.load(KEY)).messages
  const [copy] = (await store.load(KEY, { copy: true })).messages
  expect(copy).toEqual(shared)
  expect(Object.isFrozen(shared)).toBe(true)
  expect(Object.isFrozen(copy)).toBe(false)
})

test.each([
  [{ limits: 3 }, /Did you mean "limit"/],
  [{ reapir: true }, /Did you mean "repair"/],
  [{ limit: -1 }, /limit/],
  [{ at: 0.5 }, /at/],
  [{ at: 7 }, /there is no version 7 yet/],
  [{ repair: 'yes' }, /repair/],
])('load refuses %o', async (options, message) => {
  await using store = await open([user('a')])
  const refused = { code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }
  await expect(store.load(KEY, options as object)).rejects.toMatchObject(refused)
})
