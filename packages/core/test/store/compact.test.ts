import { openStore } from '@turnlog/core'
import type { Message, SessionEvent, SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'compacted'

function says(...contents: string[]): Message[] {
  return contents.map((content) => ({ role: 'user', content }))
}

async function log(store: SessionStore): Promise<SessionEvent<Message>[]> {
  const events = []
  for await (const event of store.events(KEY)) events.push(event)
  return events
}

test('compacting again finds nothing to do, so what can be looked at stays', async () => {
  await using store = await openStore(memoryBackend())
  await store.addMessages(KEY, says('a', 'b', 'c', 'd', 'e'))
  await store.truncateHistory(KEY, 1)
  expect((await store.compact(KEY)).eventsRemoved).toBeGreaterThan(0)
  const { version } = await store.addMessage(KEY, 'user', 'f')
  for (let i = 0; i < 3; i++) expect(await store.compact(KEY)).toEqual({ eventsRemoved: 0, bytesFreed: 0 })
  expect((await store.load(KEY)).version).toBe(version)
  expect((await store.getHistory(KEY, { at: version - 1 })).length).toBe(1)
})

test('a removed message is gone, however much has to be copied for it', async () => {
  await using store = await openStore(memoryBackend())
  await store.addMessages(KEY, says('p'.repeat(5000), 'the secret', 'ok'))
  const [prompt, , ok] = await store.getHistory(KEY)
  await store.setHistory(KEY, [prompt as Message, ok as Message])
  await store.addMessage(KEY, 'user', 'more')
  expect((await store.compact(KEY)).eventsRemoved).toBeGreaterThan(0)
  expect(JSON.stringify(await log(store))).not.toContain('the secret')
  expect((await store.getHistory(KEY)).length).toBe(3)
  expect((await store.verify()).problems).toEqual([])
})

test('a message that is cut in the append of the compaction is gone as well', async () => {
  await using store = await openStore(memoryBackend())
  await store.addMessages(KEY, says('p'.repeat(5000), 'the secret', 'ok'))
  const [prompt, , ok] = await store.getHistory(KEY)
  await Promise.all([
    store.setHistory(KEY, [prompt as Message, ...says('added and cut'), ok as Message]),
    store.setHistory(KEY, [prompt as Message, ok as Message]),
    store.compact(KEY),
  ])
  expect(JSON.stringify(await log(store))).not.toMatch(/the secret|added and cut/)
  expect(await store.getHistory(KEY)).toEqual([prompt, ok])
  expect((await store.verify()).problems).toEqual([])
})

test.each([0, 1_000_000])(
  'live messages behind the last dead one stay where they are, with %i bytes of cache',
  async (viewCacheBytes) => {
    await using store = await openStore({ backend: memoryBackend(), viewCacheBytes })
    for (let i = 0; i < 40; i++) {
      await store.addMessage(KEY, 'user', `${i} ${'x'.repeat(500)}`)
      await store.note(KEY, 'usage', i)
    }
    await store.truncateHistory(KEY, 30)
    const { positions } = await store.load(KEY)
    expect(await store.compact(KEY)).toMatchObject({ eventsRemoved: 20 })
    expect((await store.load(KEY)).positions).toEqual(positions)
  },
)

test('a message remembers its last 32 positions', async () => {
  await using store = await openStore(memoryBackend())
  await store.addMessage(KEY, 'system', 'Be kind.')
  const handedOut: number[] = []
  for (let round = 0; round < 50; round++) {
    handedOut.push((await store.load(KEY)).positions[0] as number)
    await store.addMessages(KEY, says('a', 'b', 'c'))
    const history = await store.getHistory(KEY)
    await store.setHistory(KEY, [history[0] as Message, ...history.slice(-1)])
    await store.compact(KEY)
  }
  for (const event of await log(store)) {
    if (event.type === 'MessageStored') expect([event.of].flat().length).toBeLessThanOrEqual(32)
  }
  expect(new Set(handedOut).size).toBe(50)
  const [remembered, forgotten] = [handedOut.at(-32) as number, handedOut.at(-33) as number]
  await expect(store.truncateHistory(KEY, { before: forgotten })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await store.truncateHistory(KEY, { before: remembered })).toMatchObject({ removed: 0 })
})
