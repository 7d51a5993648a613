import { openStore } from '@turnlog/core'
import type { Message, SessionStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { expect, test } from 'vitest'
import { backendWith } from './faulty-backend.ts'

const KEY = 'history'

function measuredBackend(): { backend: Backend; written: () => number } {
  let bytes = 0
  const backend = backendWith((inner) => ({
    append: (session, expected, events, projection, options) => {
      bytes += JSON.stringify(events).length
      return inner.append(session, expected, events, projection, options)
    },
  }))
  return {
    backend,
    written: () => {
      const sum = bytes
      bytes = 0
      return sum
    },
  }
}

function messages(count: number, from = 0): Message[] {
  return Array.from({ length: count }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: `${from + i} ${'x'.repeat(900)}`,
  }))
}

async function filled(count: number): Promise<{ store: SessionStore; written: () => number }> {
  const { backend, written } = measuredBackend()
  const store = await openStore(backend)
  await store.addMessages(KEY, messages(count))
  written()
  return { store, written }
}

test('one new message on a history of 1,000 appends one message', async () => {
  const { store, written } = await filled(1000)
  for (const history of [
    await store.getHistory(KEY),
    JSON.parse(JSON.stringify(await store.getHistory(KEY))) as Message[],
  ]) {
    const [added] = messages(1, 5000) as [Message]
    await store.setHistory(KEY, [...history, added])
    expect(written()).toBeLessThan(1.2 * JSON.stringify(added).length + 100)
  }
  expect((await store.load(KEY)).messages.length).toBe(1001)
})

test('the same history again writes nothing', async () => {
  const { store, written } = await filled(100)
  const { version } = await store.load(KEY)
  expect(await store.setHistory(KEY, messages(100))).toEqual({ version })
  expect(written()).toBe(0)
})

test('a summary message in front of the last 100 costs the summary and a run', async () => {
  const { store, written } = await filled(1000)
  const summary = { role: 'system', content: 'What happened so far' }
  const wanted = [summary, ...(await store.getHistory(KEY)).slice(-100)]
  await store.setHistory(KEY, wanted)
  expect(written()).toBeLessThan(500)
  expect(await store.getHistory(KEY)).toEqual(wanted)
})

test('editing every second message of 10,000 again and again stays within twice what is new', async () => {
  const { store, written } = await filled(10_000)
  let history = await store.getHistory(KEY)
  let fresh = 0
  let bytes = 0
  for (let round = 0; round < 6; round++) {
    history = history.map((message, i) =>
      i % 2 === round % 2 ? { role: 'user', content: `edit ${round} of ${i} ${'y'.repeat(40)}` } : message,
    )
    fresh += JSON.stringify(history.filter((_, i) => i % 2 === round % 2)).length
    await store.setHistory(KEY, history)
    bytes += written()
  }
  expect(await store.getHistory(KEY)).toEqual(history)
  // An event is an envelope of some 110 bytes around its message.
  expect(bytes).toBeLessThan(2 * (fresh + 6 * 5000 * 110))
})

test('runs are stored anew when they outweigh the view, and positions from before still resolve', async () => {
  const { backend, written } = measuredBackend()
  const store = await openStore(backend)
  await store.addMessages(
    KEY,
    Array.from({ length: 40 }, (_, i) => ({ role: 'user', content: String(i) })),
  )
  let history = await store.getHistory(KEY)
  const { positions } = await store.load(KEY)
  let rebased = 0
  for (let round = 0; round < 150; round++) {
    history = [...history.slice(1, 20), history[0] as Message, ...history.slice(20)]
    await store.setHistory(KEY, history)
    for await (const event of store.events(KEY, { reverse: true, limit: 1 })) if ('rebased' in event) rebased++
  }
  expect(rebased).toBeGreaterThan(0)
  expect(written()).toBeLessThan(150 * 2 * JSON.stringify(history).length)
  await store.truncateHistory(KEY, { before: positions[39] as number })
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['39'])
  expect((await store.verify()).problems).toEqual([])
})

test('new messages among those that are stored anew are stored once, with the time of the save', async () => {
  const { backend } = measuredBackend()
  const store = await openStore({ backend, clock: { now: () => 1_700_000_000_000 } })
  const say = (content: string): Message => ({ role: 'user', content })
  await store.setHistory(
    KEY,
    Array.from({ length: 10 }, (_, i) => say(String(i))),
  )
  let rebased = 0
  for (let round = 0; round < 30; round++) {
    const { messages: before, version } = await store.load(KEY)
    const kept = before.filter((_, i) => i % 2 === 0 || i === before.length - 1)
    const wanted = kept.flatMap((message, i) => (i === kept.length - 1 ? [message] : [message, say(`${round}.${i}`)]))
    await store.setHistory(KEY, wanted)
    expect((await store.load(KEY)).times).toEqual(wanted.map(() => 1_700_000_000_000))
    const recorded: string[] = []
    for await (const event of store.events(KEY, { from: version + 1 })) {
      if ('message' in event) recorded.push(event.message.content as string)
      if ('rebased' in event) rebased++
    }
    expect(new Set(recorded).size).toBe(recorded.length)
    expect(await store.getHistory(KEY)).toEqual(wanted)
  }
  expect(rebased).toBeGreaterThan(0)
  expect((await store.verify()).problems).toEqual([])
})

test('what an old cut hid does not stay hidden', async () => {
  const { store } = await filled(10)
  await store.truncateHistory(KEY, 2)
  await store.setHistory(KEY, messages(5))
  expect((await store.getHistory(KEY)).length).toBe(5)
})

test('equal messages are separate messages', async () => {
  const { store } = await filled(0)
  const same = { role: 'user', content: 'ok' }
  await store.setHistory(KEY, [same, same])
  await store.setHistory(KEY, [same, same, same])
  expect((await store.getHistory(KEY)).length).toBe(3)
  expect(new Set((await store.load(KEY)).positions).size).toBe(3)
})

test('saving a streaming message again and again costs what it says, and its position is the version', async () => {
  const { store, written } = await filled(500)
  let { version: position } = await store.addMessage(KEY, 'assistant', '')
  written()
  for (let words = 1; words <= 50; words++) {
    position = (await store.replaceFrom(KEY, position, [{ role: 'assistant', content: 'word '.repeat(words) }])).version
  }
  expect(written()).toBeLessThan(50 * (250 + 350))
  const { messages: view, positions } = await store.load(KEY)
  expect(view.length).toBe(501)
  expect(positions.at(-1)).toBe(position)
})
