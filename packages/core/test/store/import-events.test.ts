import type { ImportedEvent } from '@turnlog/core'
import { openStore } from '@turnlog/core'
import { expect, test } from 'vitest'

const said = (content: string, at: number): ImportedEvent => ({
  type: 'MessageAdded',
  at,
  message: { role: 'user', content },
})

const story: readonly ImportedEvent[] = [
  { type: 'Noted', at: 100, kind: 'origin', data: { file: 'a.json' } },
  said('one', 200),
  said('two', 300),
  said('three', 300),
  { type: 'Truncated', at: 400, keepLast: 2 },
  { type: 'SummarySet', at: 400, summary: 'They counted.' },
  { type: 'MetadataSet', at: 500, metadata: { title: 'Counting' } },
]

test('a session begins with what happened elsewhere, at the times when it happened', async () => {
  await using store = await openStore('memory:')
  expect(await store.importEvents('a', story, { operationId: 'x' })).toBe('imported')
  const { messages, summary, metadata, createdAt, updatedAt, version } = await store.load('a')
  expect(messages.map(({ content }) => content)).toEqual(['two', 'three'])
  expect({ summary, metadata, createdAt, updatedAt, version }).toEqual({
    summary: 'They counted.',
    metadata: { title: 'Counting' },
    createdAt: 100,
    updatedAt: 500,
    version: 7,
  })
  expect(await store.verify('a')).toMatchObject({ ok: true, events: 7 })
})

test('an import is recognised by its operation id, also when the session has long been in use', async () => {
  await using store = await openStore('memory:')
  await store.importEvents('a', story, { operationId: 'x' })
  for (let i = 0; i < 40; i++) await store.addMessage('a', 'user', 'more', { operationId: `later ${i}` })
  expect(await store.importEvents('a', story, { operationId: 'x', dryRun: true })).toBe('already-there')
  expect(await store.importEvents('a', story, { operationId: 'x' })).toBe('already-there')
  expect(await store.importEvents('a', story, { operationId: 'y', dryRun: true })).toBe('conflict')
  expect(await store.importEvents('a', story, { operationId: 'y' })).toBe('conflict')
  expect((await store.load('a')).version).toBe(47)
})

test('a deleted session is not begun anew by an import', async () => {
  await using store = await openStore('memory:')
  await store.addMessage('a', 'user', 'hello')
  await store.deleteSession('a')
  expect(await store.importEvents('a', story, { operationId: 'x', dryRun: true })).toBe('conflict')
  expect(await store.importEvents('a', story, { operationId: 'x' })).toBe('conflict')
  expect(await store.getHistory('a')).toEqual([])
})

test('a dry run writes nothing', async () => {
  await using store = await openStore('memory:')
  expect(await store.importEvents('a', story, { operationId: 'x', dryRun: true })).toBe('imported')
  expect((await store.stats()).events).toBe(0)
})

test.each([
  ['events[0].type', { type: 'Compacted', at: 1 }],
  ['events[0].at', { type: 'SummarySet', at: -1, summary: '' }],
  ['events[0].summary', { type: 'SummarySet', at: 1 }],
  ['events[0].keepLast', { type: 'Truncated', at: 1, keepLast: 0.5 }],
  ['events[0].message', { type: 'MessageAdded', at: 1, message: { role: 1 } }],
  ['limits.maxMessageBytes', said('x'.repeat(2000), 1)],
])('an import with a wrong %s is refused and writes nothing', async (named, event) => {
  await using store = await openStore({ backend: 'memory', limits: { maxMessageBytes: 1000 } })
  const importing = store.importEvents('a', [said('one', 1), event as ImportedEvent].reverse(), { operationId: 'x' })
  await expect(importing).rejects.toThrow(named)
  expect((await store.stats()).events).toBe(0)
})

test('what is written through store.backend is seen by the store', async () => {
  await using store = await openStore('memory:')
  await store.addMessage('a', 'user', 'hello')
  expect(await store.getHistory('a')).toHaveLength(1)
  await store.backend.erase('a', 1)
  expect(await store.getHistory('a')).toEqual([])
})
