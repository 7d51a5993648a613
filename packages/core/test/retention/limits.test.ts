import { openStore } from '@turnlog/core'
import type { Message, SessionEvent, SessionStore, StoreSettings } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'telegram:1'

function open(settings: StoreSettings<Message>): Promise<SessionStore> {
  return openStore({ backend: memoryBackend(), ...settings })
}

async function eventsOf(store: SessionStore, from: number): Promise<SessionEvent<Message>[]> {
  const events: SessionEvent<Message>[] = []
  for await (const event of store.events(KEY, { from })) events.push(event)
  return events
}

async function add(store: SessionStore, from: number, to: number): Promise<void> {
  for (let i = from; i <= to; i++) await store.addMessage(KEY, 'user', `m${i}`)
}

test('the message that exceeds maxMessages cuts the view to 80 % in its own append', async () => {
  await using store = await open({ limits: { maxMessages: 10 } })
  await add(store, 1, 10)
  expect(await store.getHistory(KEY)).toHaveLength(10)
  const { version } = await store.addMessage(KEY, 'user', 'm11')
  const view = await store.load(KEY)
  expect(view.messages.map(({ content }) => content)).toEqual(['m4', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11'])
  const written = await eventsOf(store, 11)
  expect(written.map(({ type }) => type)).toEqual(['Truncated', 'MessageAdded'])
  expect(written[0]).toMatchObject({ asked: { maxMessages: 10 } })
  expect(view.positions.at(-1)).toBe(version)
  await add(store, 12, 13)
  expect(await store.getHistory(KEY)).toHaveLength(10)
})

test('what a limit cut can be restored', async () => {
  await using store = await open({ limits: { maxMessages: 4 } })
  await add(store, 1, 5)
  await store.restore(KEY, { at: 4 })
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['m1', 'm2', 'm3', 'm4'])
})

test('a limit never splits a tool call from its results', async () => {
  await using store = await open({ limits: { maxMessages: 5 } })
  for (let turn = 0; turn < 20; turn++) {
    await store.addMessage(KEY, 'user', `q${turn}`)
    const tool_calls = [{ id: 'call_0', type: 'function', function: { name: 'look', arguments: '{}' } }]
    await store.addMessage(KEY, { role: 'assistant', content: null, tool_calls })
    await store.addMessage(KEY, { role: 'tool', tool_call_id: 'call_0', content: `r${turn}` })
    const history = await store.getHistory(KEY)
    expect(history[0]?.role).not.toBe('tool')
    expect(await store.getHistory(KEY, { repair: true })).toEqual(history)
    expect(history.length).toBeLessThanOrEqual(6)
  }
})

test('a pending tool call stays, however many messages follow', async () => {
  await using store = await open({ limits: { maxMessages: 3 } })
  const tool_calls = ['a', 'b', 'c', 'd', 'e'].map((id) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '' },
  }))
  await store.addMessage(KEY, { role: 'assistant', tool_calls })
  for (const id of ['a', 'b', 'c', 'd']) await store.addMessage(KEY, { role: 'tool', tool_call_id: id, content: id })
  expect(await store.getHistory(KEY)).toHaveLength(5)
  await store.addMessage(KEY, { role: 'tool', tool_call_id: 'e', content: 'e' })
  await store.addMessages(KEY, [
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'next' },
  ])
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['done', 'next'])
})

test('an addition that is larger than the limit by itself is cut behind it', async () => {
  await using store = await open({ limits: { maxMessages: 10 } })
  const many = Array.from({ length: 30 }, (_, i) => ({ role: 'user', content: `m${i}` }))
  await store.addMessages(KEY, many)
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(many.slice(-8).map((m) => m.content))
})

test('the newest message stays with a limit of one', async () => {
  await using store = await open({ limits: { maxMessages: 1 } })
  await add(store, 1, 3)
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['m3'])
})

test('maxSessionBytes cuts like maxMessages, and refuses what could never fit', async () => {
  await using store = await open({ limits: { maxSessionBytes: 1000 } })
  for (let i = 0; i < 20; i++) {
    await store.addMessage(KEY, 'user', 'x'.repeat(150))
    expect(JSON.stringify(await store.getHistory(KEY)).length).toBeLessThan(1050)
  }
  expect((await store.getHistory(KEY)).length).toBeGreaterThanOrEqual(4)
  const before = await store.load(KEY)
  await expect(store.addMessage(KEY, 'user', 'x'.repeat(1001))).rejects.toMatchObject({
    code: 'TOO_LARGE',
    session: KEY,
  })
  expect(await store.load(KEY)).toEqual(before)
})

test('the cut does not belong to the operation that caused it: a repeat gives the same answer', async () => {
  await using store = await open({ limits: { maxMessages: 2 } })
  await add(store, 1, 2)
  const first = await store.addMessage(KEY, 'user', 'm3', { operationId: 'a' })
  expect(await store.addMessage(KEY, 'user', 'm3', { operationId: 'a' })).toEqual({ version: 4, positions: [4] })
  expect((await store.load(KEY)).version).toBe(first.version)
})

test('the longest prefix decides, and what it leaves out is as for all other keys', async () => {
  await using store = await open({
    limits: {
      maxMessages: 5,
      maxMessageBytes: 100,
      prefixes: { 'cron:': { maxMessages: 2 }, 'cron:slow:': { maxMessages: 3 } },
    },
  })
  for (const [key, most] of [
    ['telegram:1', 5],
    ['cron:1', 2],
    ['cron:slow:1', 3],
  ] as const) {
    for (let i = 0; i < most; i++) await store.addMessage(key, 'user', 'x')
    expect(await store.getHistory(key)).toHaveLength(most)
    await store.addMessage(key, 'user', 'x')
    expect((await store.getHistory(key)).length).toBeLessThanOrEqual(most)
    await expect(store.addMessage(key, 'user', 'x'.repeat(100))).rejects.toMatchObject({ code: 'TOO_LARGE' })
  }
})

test('without limits nothing is ever cut', async () => {
  await using store = await open({})
  const many = Array.from({ length: 3000 }, (_, i) => ({ role: 'user', content: `m${i}` }))
  await store.addMessages(KEY, many)
  await store.addMessage(KEY, 'user', 'last')
  expect(await store.getHistory(KEY)).toHaveLength(3001)
})
