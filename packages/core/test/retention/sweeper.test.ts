import { openStore } from '@turnlog/core'
import type { StoreWarning } from '@turnlog/core'
import { StoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { backendWith } from '../store/faulty-backend.ts'
import { DAY_MS, TestClock } from './test-clock.ts'

const BIG = Array.from({ length: 40 }, () => ({ role: 'user', content: 'x'.repeat(100) }))

test('a step looks at a bounded number of sessions, and the next goes on from there', async () => {
  const clock = new TestClock()
  const expire = { idleForMs: DAY_MS }
  await using store = await openStore({ backend: memoryBackend(), clock, expire, sweep: 'manual' })
  for (let i = 0; i < 300; i++) await store.addMessage(`s${String(i).padStart(3, '0')}`, 'user', 'x')
  expect(await store.sweep()).toMatchObject({ sessions: 256, done: false })
  expect(await store.sweep()).toMatchObject({ sessions: 44, done: true })
  clock.advance(2 * DAY_MS)
  expect(await store.sweep()).toMatchObject({ sessions: 256, expired: 0 })
  expect(await store.sweep()).toMatchObject({ sessions: 44, expired: 0, done: true })
  clock.advance(DAY_MS)
  const steps = []
  for (let result = await store.sweep(); ; result = await store.sweep()) {
    steps.push(result.expired)
    if (result.done) break
  }
  // Traces of deleted sessions are still there to be looked at.
  expect(steps).toEqual([64, 64, 64, 64, 44])
  expect(await store.stats()).toMatchObject({ sessions: 0, deletedSessions: 300 })
})

test('the sweeper goes through all sessions by itself, step by step', async () => {
  const clock = new TestClock()
  const retention = { removedEventsForMs: 0 }
  await using store = await openStore({ backend: memoryBackend(), clock, retention })
  for (let i = 0; i < 300; i++) {
    await store.addMessages(`s${i}`, BIG)
    await store.truncateHistory(`s${i}`, 2)
  }
  await clock.runNext()
  expect((await store.stats()).events).toBe(300 * 4)
})

test('a session that fails is reported, and the others are swept', async () => {
  const warnings: StoreWarning[] = []
  let isBroken = false
  const backend = backendWith((inner) => ({
    append: async (session, ...rest) => {
      if (isBroken && session === 'b') throw new StoreError('CORRUPT', 'Event 1 is damaged.', { session })
      return inner.append(session, ...rest)
    },
  }))
  const onWarning = (warning: StoreWarning): void => void warnings.push(warning)
  const retention = { removedEventsForMs: 0 }
  await using store = await openStore({ backend, retention, onWarning, sweep: 'manual' })
  for (const key of ['a', 'b', 'c']) {
    await store.addMessages(key, BIG)
    await store.truncateHistory(key, 2)
  }
  isBroken = true
  expect(await store.sweep()).toMatchObject({ compacted: 2, failed: 1, done: true })
  expect(warnings).toMatchObject([{ code: 'SWEEP_SESSION_FAILED', session: 'b', cause: { code: 'CORRUPT' } }])
  isBroken = false
  expect(await store.sweep()).toMatchObject({ compacted: 1, failed: 0 })
})

test('a sweep that cannot list is reported, and the next comes after the usual interval', async () => {
  const clock = new TestClock()
  const warnings: StoreWarning[] = []
  let isBroken = true
  const backend = backendWith((inner) => ({
    list: (range) => {
      if (isBroken) throw new StoreError('IO', 'The disk is gone.')
      return inner.list(range)
    },
  }))
  const onWarning = (warning: StoreWarning): void => void warnings.push(warning)
  const store = await openStore({ backend, clock, onWarning, retention: { removedEventsForMs: 0 } })
  await store.addMessages('a', BIG)
  await store.truncateHistory('a', 2)
  await clock.runNext()
  expect(warnings).toMatchObject([{ code: 'SWEEP_FAILED', cause: { code: 'IO' } }])
  isBroken = false
  await clock.runNext()
  expect((await store.stats()).events).toBe(4)
  await store.close()
})

test('close waits for the session that the sweeper is at, and leaves the rest', async () => {
  const clock = new TestClock()
  let release: () => void = () => undefined
  let reached: () => void = () => undefined
  const atWork = new Promise<void>((resolve) => (reached = resolve))
  const gate = new Promise<void>((resolve) => (release = resolve))
  let isSweeping = false
  const appended: string[] = []
  let isClosed = false
  const backend = backendWith((inner) => ({
    append: async (session, ...rest) => {
      if (isSweeping) {
        reached()
        await gate
      }
      await inner.append(session, ...rest)
      if (isSweeping) appended.push(session)
    },
    close: async () => {
      isClosed = true
      await inner.close()
    },
  }))
  const store = await openStore({ backend, clock, retention: { removedEventsForMs: 0 } })
  for (const key of ['a', 'b']) {
    await store.addMessages(key, BIG)
    await store.truncateHistory(key, 2)
  }
  isSweeping = true
  clock.advance(clock.nextInMs ?? 0)
  await atWork
  const closing = store.close()
  await Promise.resolve()
  expect(isClosed).toBe(false)
  release()
  await closing
  expect(appended).toEqual(['a'])
  expect(isClosed).toBe(true)
  expect(clock.waiting).toBe(0)
})

test('a session that is being written to is left alone', async () => {
  let release: () => void = () => undefined
  let gate: Promise<void> | undefined
  const backend = backendWith((inner) => ({
    append: async (...args) => {
      await gate
      return inner.append(...args)
    },
  }))
  await using store = await openStore({ backend, retention: { removedEventsForMs: 0 }, sweep: 'manual' })
  await store.addMessages('a', BIG)
  await store.truncateHistory('a', 2)
  gate = new Promise((resolve) => (release = resolve))
  const writing = store.addMessage('a', 'user', 'now')
  expect(await store.sweep()).toMatchObject({ sessions: 1, compacted: 0 })
  release()
  await writing
  gate = undefined
  expect(await store.sweep()).toMatchObject({ compacted: 1 })
})

test('a store that was opened to read refuses to sweep, and no sweeper runs', async () => {
  const clock = new TestClock()
  const expire = { idleForMs: 1 }
  await using store = await openStore({ backend: memoryBackend(), clock, expire, readOnly: true })
  expect(clock.waiting).toBe(0)
  await expect(store.sweep()).rejects.toMatchObject({ code: 'READ_ONLY' })
})

test('a closed store does not sweep', async () => {
  const store = await openStore({ backend: memoryBackend() })
  await store.close()
  await expect(store.sweep()).rejects.toMatchObject({ code: 'CLOSED' })
})

/** Lists no further than a session that is damaged. */
function damagedAt(damaged: string): Backend {
  return backendWith((inner) => ({
    async *list(range) {
      for await (const batch of inner.list(range)) {
        const sound = batch.findIndex(({ session }) => session === damaged)
        yield sound === -1 ? batch : batch.slice(0, sound)
        if (sound !== -1) throw new StoreError('CORRUPT', 'The head is damaged.', { session: damaged })
      }
    },
  }))
}

test('a session that cannot even be listed is told once in a sweep, and the others are swept', async () => {
  const warnings: StoreWarning[] = []
  const onWarning = (warning: StoreWarning): void => void warnings.push(warning)
  const retention = { removedEventsForMs: 0 }
  await using store = await openStore({ backend: damagedAt('b'), retention, onWarning, sweep: 'manual' })
  for (const key of ['a', 'b', 'c']) {
    await store.addMessages(key, BIG)
    await store.truncateHistory(key, 2)
  }
  expect(await store.sweep()).toMatchObject({ sessions: 2, compacted: 2, failed: 1, done: true })
  expect(warnings).toMatchObject([{ code: 'SWEEP_SESSION_FAILED', session: 'b', cause: { code: 'CORRUPT' } }])
  expect(await store.sweep()).toMatchObject({ sessions: 2, failed: 1, done: true })
  expect(warnings).toHaveLength(2)
})

test('expire() deletes what is idle beside a damaged session, and then says what is damaged', async () => {
  const clock = new TestClock()
  await using store = await openStore({ backend: damagedAt('b'), clock })
  for (const key of ['a', 'b', 'c']) await store.addMessages(key, BIG)
  clock.advance(DAY_MS)
  await expect(store.expire({ idleForMs: 1000 })).rejects.toMatchObject({ code: 'CORRUPT', session: 'b' })
  expect((await store.load('a')).version).toBe(0)
  expect((await store.load('c')).version).toBe(0)
})
