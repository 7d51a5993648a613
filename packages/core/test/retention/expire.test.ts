import { openStore } from '@turnlog/core'
import type { Message, SessionStore, StoreSettings, StoreWarning } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { DAY_MS, TestClock, YEAR_MS } from './test-clock.ts'

const HOUR_MS = 60 * 60 * 1000

interface Setup {
  readonly clock: TestClock
  readonly store: SessionStore
  readonly warnings: StoreWarning[]
  readonly keys: () => Promise<string[]>
}

async function setUp(settings: StoreSettings<Message>): Promise<Setup> {
  const clock = new TestClock()
  const warnings: StoreWarning[] = []
  const onWarning = (warning: StoreWarning): void => void warnings.push(warning)
  const sweep = { intervalMs: HOUR_MS, jitter: 0 }
  const store = await openStore({ backend: memoryBackend(), clock, onWarning, sweep, ...settings })
  const keys = async (): Promise<string[]> => {
    const found = []
    for await (const { key } of store.listSessions()) found.push(key)
    return found
  }
  return { clock, store, warnings, keys }
}

test('an idle session is deleted by the second of two sweeps, an interval apart, and leaves a trace', async () => {
  const { clock, store, keys } = await setUp({ expire: { idleForMs: DAY_MS }, sweep: 'manual' })
  await store.addMessages('a', [
    { role: 'user', content: '1' },
    { role: 'user', content: '2' },
  ])
  clock.advance(DAY_MS + 1)
  expect(await store.sweep()).toMatchObject({ sessions: 1, expired: 0, done: true, clockJumped: false })
  expect(await store.sweep()).toMatchObject({ expired: 0 })
  clock.advance(10 * 60 * 1000)
  expect(await store.sweep()).toMatchObject({ expired: 1 })
  expect(await keys()).toEqual([])
  const events = []
  for await (const event of store.events('a')) events.push(event)
  expect(events).toHaveLength(1)
  expect(events[0]).toMatchObject({
    type: 'SessionDeleted',
    reason: 'expired',
    removedEvents: 2,
    removedMessages: 2,
    at: clock.now(),
  })
  await store.close()
})

test('a session that is used between the two sweeps stays', async () => {
  const { clock, store, keys } = await setUp({ expire: { idleForMs: DAY_MS }, sweep: 'manual' })
  await store.addMessage('a', 'user', '1')
  clock.advance(2 * DAY_MS)
  await store.sweep()
  await store.addMessage('a', 'user', '2')
  clock.advance(DAY_MS - 1)
  expect(await store.sweep()).toMatchObject({ expired: 0 })
  clock.advance(2)
  expect(await store.sweep()).toMatchObject({ expired: 0 })
  clock.advance(HOUR_MS)
  expect(await store.sweep()).toMatchObject({ expired: 1 })
  expect(await keys()).toEqual([])
  await store.close()
})

test('the sweeper runs by the clock, and close ends it', async () => {
  const { clock, store, keys } = await setUp({ expire: { idleForMs: DAY_MS } })
  await store.addMessage('old', 'user', '1')
  for (let hour = 0; hour < 24; hour++) await clock.runNext()
  await store.addMessage('young', 'user', '1')
  expect(await keys()).toEqual(['old', 'young'])
  await clock.runNext()
  expect(await keys()).toEqual(['old', 'young'])
  await clock.runNext()
  expect(await keys()).toEqual(['young'])
  expect(clock.nextInMs).toBe(HOUR_MS)
  await store.close()
  expect(clock.waiting).toBe(0)
})

test('the interval is lengthened by at most the jitter, never shortened', async () => {
  for (let i = 0; i < 50; i++) {
    const { clock, store } = await setUp({ expire: { idleForMs: 1 }, sweep: { intervalMs: 1000, jitter: 0.5 } })
    expect(clock.nextInMs).toBeGreaterThanOrEqual(1000)
    expect(clock.nextInMs).toBeLessThanOrEqual(1500)
    await store.close()
  }
})

test.each([
  ['forward', YEAR_MS],
  ['back', -YEAR_MS],
])('a clock that jumps %s a year deletes nothing, and expiry goes on when it is right again', async (_name, jump) => {
  const { clock, store, keys, warnings } = await setUp({ expire: { idleForMs: 30 * DAY_MS, tracesForMs: DAY_MS } })
  await store.addMessage('a', 'user', '1')
  await store.addMessage('gone', 'user', '1')
  await store.deleteSession('gone')
  clock.jump(jump)
  await store.addMessage('during', 'user', '1')
  for (let hour = 0; hour < 48; hour++) await clock.runNext()
  expect(await store.sweep()).toMatchObject({ clockJumped: true, expired: 0, tracesErased: 0 })
  expect(await keys()).toEqual(['a', 'during'])
  expect(warnings.map(({ code }) => code)).toEqual(['CLOCK_JUMPED'])
  clock.jump(-jump)
  await clock.runNext()
  expect(await keys()).toEqual(['a', 'during'])
  for (let hour = 0; hour < 30 * 24; hour++) await clock.runNext()
  expect(await keys()).not.toContain('a')
  await store.close()
})

test('a jump between the two sweeps starts the wait anew', async () => {
  const { clock, store, keys } = await setUp({ expire: { idleForMs: DAY_MS } })
  await store.addMessage('a', 'user', '1')
  clock.jump(YEAR_MS)
  await clock.runNext()
  clock.jump(-YEAR_MS)
  await clock.runNext()
  expect(await keys()).toEqual(['a'])
  await store.close()
})

test('each prefix has its own patience, and the longest one counts', async () => {
  const { clock, store, keys } = await setUp({
    expire: {
      idleForMs: 'never',
      prefixes: {
        'telegram:': { idleForMs: 30 * DAY_MS },
        'cron:': { idleForMs: DAY_MS },
        'cron:keep:': { idleForMs: 'never' },
      },
    },
  })
  for (const key of ['cli:1', 'cron:1', 'cron:keep:1', 'telegram:1']) await store.addMessage(key, 'user', 'x')
  for (let hour = 0; hour <= 26; hour++) await clock.runNext()
  expect(await keys()).toEqual(['cli:1', 'cron:keep:1', 'telegram:1'])
  for (let hour = 0; hour <= 29 * 24; hour++) await clock.runNext()
  expect(await keys()).toEqual(['cli:1', 'cron:keep:1'])
  await store.close()
})

test('the trace of a deleted session is erased after a while, and numbering begins anew', async () => {
  const { clock, store } = await setUp({ expire: { tracesForMs: DAY_MS } })
  await store.addMessage('a', 'user', '1')
  await store.deleteSession('a', { reason: 'asked for' })
  expect((await store.stats()).deletedSessions).toBe(1)
  for (let hour = 0; hour <= 24; hour++) await clock.runNext()
  expect((await store.stats()).deletedSessions).toBe(1)
  await clock.runNext()
  expect((await store.stats()).deletedSessions).toBe(0)
  expect(await store.addMessage('a', 'user', '1')).toMatchObject({ version: 1 })
  await store.close()
})

test('nothing expires, and no sweeper runs, unless it is asked for', async () => {
  const { clock, store, keys } = await setUp({})
  await store.addMessage('a', 'user', '1')
  await store.addMessage('b', 'user', '1')
  await store.deleteSession('b')
  expect(clock.waiting).toBe(0)
  for (let year = 0; year < 3; year++) {
    clock.advance(YEAR_MS)
    expect(await store.sweep()).toMatchObject({ expired: 0, tracesErased: 0, compacted: 0 })
  }
  expect(await keys()).toEqual(['a'])
  expect((await store.stats()).deletedSessions).toBe(1)
  await store.close()
})

test('compaction does not count as use', async () => {
  const { clock, store, keys } = await setUp({
    expire: { idleForMs: DAY_MS },
    retention: { removedEventsForMs: 0 },
  })
  await store.addMessages(
    'a',
    Array.from({ length: 50 }, () => ({ role: 'user', content: 'x'.repeat(200) })),
  )
  await store.truncateHistory('a', 1)
  clock.advance(DAY_MS - HOUR_MS)
  await clock.runNext()
  expect(await store.stats()).toMatchObject({ messages: 1 })
  expect((await store.stats()).events).toBeLessThan(5)
  await clock.runNext()
  await clock.runNext()
  await clock.runNext()
  expect(await keys()).toEqual([])
  await store.close()
})
