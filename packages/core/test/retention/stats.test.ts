import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { backendWith } from '../store/faulty-backend.ts'
import { DAY_MS, TestClock } from './test-clock.ts'

test('an empty store has no oldest session', async () => {
  await using store = await openStore({ backend: memoryBackend() })
  expect(await store.stats()).toEqual({
    sessions: 0,
    deletedSessions: 0,
    events: 0,
    messages: 0,
    liveBytes: 0,
    deadBytes: 0,
    bytes: 0,
    largest: [],
    growthBytesPerDay: 0,
  })
})

test('counts are exact, and dead bytes are what compacting everything would free, roughly', async () => {
  const clock = new TestClock()
  await using store = await openStore({ backend: memoryBackend(), clock })
  const start = clock.now()
  for (let i = 0; i < 12; i++) {
    clock.advance(1000)
    await store.addMessages(
      `s${i}`,
      Array.from({ length: 10 * (i + 1) }, () => ({ role: 'user', content: 'x'.repeat(100) })),
    )
  }
  await store.truncateHistory('s11', 20)
  await store.deleteSession('s0')
  const stats = await store.stats()
  expect(stats).toMatchObject({
    sessions: 11,
    deletedSessions: 1,
    events: 780 - 10 + 2,
    messages: 780 - 10 - 100,
    oldestUpdate: start + 2000,
    newestUpdate: start + 12_000,
  })
  expect(stats.largest.map(({ key }) => key)).toEqual(['s11', 's10', 's9', 's8', 's7', 's6', 's5', 's4', 's3', 's2'])
  expect(stats.largest[0]).toMatchObject({ messages: 20, bytes: 121 * 512 })
  await store.compact('s11')
  const after = await store.stats()
  const freed = stats.bytes - after.bytes
  expect(stats.deadBytes).toBeGreaterThan(0.8 * freed)
  expect(stats.deadBytes).toBeLessThan(1.2 * freed)
  expect(after.deadBytes).toBeLessThan(0.1 * stats.deadBytes)
})

test('growth is that of the last seven days', async () => {
  const clock = new TestClock()
  await using store = await openStore({ backend: memoryBackend(), clock })
  await store.addMessage('old', 'user', 'x')
  await store.addMessage('half', 'user', 'x')
  clock.advance(7 * DAY_MS)
  expect((await store.stats()).growthBytesPerDay).toBe(0)
  await store.addMessages(
    'new',
    Array.from({ length: 70 }, () => ({ role: 'user', content: 'x' })),
  )
  expect((await store.stats()).growthBytesPerDay).toBe(10 * 512)
  clock.advance(7 * DAY_MS)
  await store.addMessage('half', 'user', 'x')
  expect((await store.stats()).growthBytesPerDay).toBe(Math.round((2 * 512) / 2 / 7))
})

test('no log is read for it', async () => {
  let reads = 0
  const backend = backendWith((inner) => ({
    read: (...args) => {
      reads++
      return inner.read(...args)
    },
  }))
  await using store = await openStore({ backend, viewCacheBytes: 0 })
  for (let i = 0; i < 20; i++) await store.addMessage(`s${i}`, 'user', 'x')
  reads = 0
  expect(await store.stats()).toMatchObject({ sessions: 20 })
  expect(reads).toBe(0)
})
