import { subscribe, unsubscribe } from 'node:diagnostics_channel'

import { openStore } from '@turnlog/core'
import type { Diagnostics } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, onTestFinished, test } from 'vitest'

import { backendWith } from '../store/faulty-backend.ts'

function listen<Name extends keyof Diagnostics>(name: Name): Diagnostics[Name][] {
  const heard: Diagnostics[Name][] = []
  const listener = (message: unknown): void => void heard.push(message as Diagnostics[Name])
  subscribe(name, listener)
  onTestFinished(() => void unsubscribe(name, listener))
  return heard
}

const someTime: number = expect.any(Number)

test('an append tells its session, events, bytes and duration', async () => {
  const heard = listen('turnlog:append')
  const store = await openStore(memoryBackend())
  await store.addMessages('a', [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
  ])
  await store.close()
  expect(heard).toEqual([{ backend: 'memory', session: 'a', events: 2, bytes: someTime, durationMs: someTime }])
  expect(heard[0]?.bytes).toBeGreaterThan(100)
})

test('an append that fails tells the code of its error', async () => {
  const heard = listen('turnlog:append')
  const store = await openStore(backendWith(() => ({ append: () => Promise.reject(new Error('no disk')) })))
  await expect(store.addMessage('a', 'user', 'hello')).rejects.toMatchObject({ code: 'IO' })
  expect(heard.length).toBeGreaterThan(0)
  expect(heard[0]).toEqual({ backend: 'memory', session: 'a', durationMs: someTime, error: 'UNKNOWN' })
})

test('opening, a cold load, a compaction and a sweep tell what they did', async () => {
  const opened = listen('turnlog:open')
  const loaded = listen('turnlog:load')
  const compacted = listen('turnlog:compaction')
  const swept = listen('turnlog:sweep')
  const store = await openStore({
    backend: memoryBackend(),
    viewCacheBytes: 0,
    retention: { removedEventsForMs: 0 },
    sweep: 'manual',
  })
  for (const key of ['a', 'b']) {
    for (let n = 0; n < 50; n++) await store.addMessage(key, 'user', `message ${n} `.repeat(50))
    await store.truncateHistory(key, 2)
  }
  await store.getHistory('a')
  await store.compact('a')
  while (!(await store.sweep()).done);
  await store.close()
  expect(opened).toEqual([{ backend: 'memory', findings: 0, durationMs: someTime }])
  expect(loaded.at(-1)).toMatchObject({ backend: 'memory', messages: 2, bytes: someTime, durationMs: someTime })
  // The sweeper looks at what is left of a compacted session too, and finds nothing in it.
  expect(compacted.filter(({ eventsRemoved }) => eventsRemoved !== 0)).toMatchObject([
    { backend: 'memory', session: 'a', reason: 'asked', eventsRemoved: 48, bytesFreed: someTime },
    { backend: 'memory', session: 'b', reason: 'retention', eventsRemoved: 48, bytesFreed: someTime },
  ])
  expect(swept[0]).toMatchObject({ backend: 'memory', compacted: 1, eventsRemoved: 48, durationMs: someTime })
})

test('nothing that somebody said is published', async () => {
  const all = (['turnlog:open', 'turnlog:append', 'turnlog:load', 'turnlog:compaction', 'turnlog:sweep'] as const).map(
    (name) => listen(name),
  )
  const store = await openStore({ backend: memoryBackend(), viewCacheBytes: 0 })
  await store.addMessage('a', 'user', 'a secret')
  await store.setSummary('a', 'a secret')
  await store.getHistory('a')
  await store.truncateHistory('a', 0)
  await store.compact('a')
  await store.close()
  expect(JSON.stringify(all)).not.toContain('secret')
})
