import { openStore } from '@turnlog/core'
import type { EventRecord } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import type { EventSchema } from '../../src/events/upcast.ts'
import { EVENT_SCHEMA } from '../../src/events/upcast.ts'
import { RetentionService } from '../../src/retention/retention-service.ts'
import { Store } from '../../src/store/store.ts'

const KEY = 'old'

/** A log as a release would have written it whose `SummarySet` still called its text `text`. */
const fixture: readonly EventRecord[] = [
  { seq: 1, id: 'a', type: 'MessageAdded', v: 1, at: 1, message: { role: 'user', content: 'hello' } },
  { seq: 2, id: 'b', type: 'SummarySet', v: 1, at: 2, text: 'greeting' },
]

const nextSchema: EventSchema = {
  ...EVENT_SCHEMA,
  SummarySet: [({ text, ...rest }) => ({ ...rest, summary: text })],
}

async function backendOf(events: readonly EventRecord[]): Promise<ReturnType<typeof memoryBackend>> {
  const backend = memoryBackend()
  await backend.open()
  await backend.append(KEY, { last: 0, incarnation: 'i' }, events, null)
  return backend
}

test('an older version of an event is brought up to date on reading, and its log stays as it is', async () => {
  const backend = await backendOf(fixture)
  const store = new Store<object>(
    { backend, readOnly: false, schema: nextSchema, retention: (access) => new RetentionService(access, {}) },
    {},
  )
  expect(await store.load(KEY)).toMatchObject({ summary: 'greeting', messages: [{ role: 'user', content: 'hello' }] })
  for await (const event of store.events(KEY, { from: 2 })) expect(event).toMatchObject({ v: 2, summary: 'greeting' })
  for await (const [record] of backend.read(KEY, [{ from: 2, to: 2 }])) expect(record).toEqual(fixture[1])
})

test('a newer version of an event is UNSUPPORTED, not CORRUPT', async () => {
  const store = await openStore(await backendOf([{ ...(fixture[0] as EventRecord), v: 2 }]))
  await expect(store.getHistory(KEY)).rejects.toMatchObject({ code: 'UNSUPPORTED', session: KEY, seq: 1 })
})

test('an unknown type that may be skipped is skipped and kept; any other is UNSUPPORTED', async () => {
  const inert = { seq: 2, id: 'b', type: 'Sparkled', v: 1, at: 2, inert: true }
  const [first] = fixture as [EventRecord]
  const store = await openStore(await backendOf([first, inert]))
  expect(await store.getHistory(KEY)).toHaveLength(1)
  const types: string[] = []
  for await (const { type } of store.events(KEY)) types.push(type)
  expect(types).toEqual(['MessageAdded', 'Sparkled'])
  const other = await openStore(await backendOf([first, { ...inert, inert: false }]))
  await expect(other.getHistory(KEY)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('what an event that is skipped says about a view or a summary counts for nothing', async () => {
  const inert = { seq: 3, id: 'c', type: 'Sparkled', v: 1, at: 3, inert: true, view: 'sidebar', summary: 'sparkling' }
  const [first] = fixture as [EventRecord]
  const summary = { seq: 2, id: 'b', type: 'SummarySet', v: 1, at: 2, summary: 'greeting' }
  const store = await openStore(await backendOf([first, summary, inert]))
  const { version } = await store.addMessage(KEY, 'user', 'again')
  await store.truncateHistory(KEY, 0)
  await store.setSummary(KEY, 'later')
  expect(await store.getHistory(KEY, { at: version })).toHaveLength(2)
  await store.restore(KEY, { at: version })
  expect(await store.load(KEY)).toMatchObject({ summary: 'greeting', messages: [{}, {}] })
})
