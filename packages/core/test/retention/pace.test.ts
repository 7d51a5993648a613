import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { backendWith } from '../store/faulty-backend.ts'

/** Enough that its removal is worth a rewrite of the storage. */
const LARGE = Array.from({ length: 1000 }, () => ({ role: 'user', content: 'x'.repeat(200) }))

/** The milliseconds that a write of the sweeper and a rewrite of the storage take. */
const WORK_MS = 5
const REWRITE_MS = 20

/** When the sweeper wrote. */
let swept: number[] = []
let isSweeping = false

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  swept = []
  isSweeping = false
})

afterEach(() => {
  vi.useRealTimers()
})

async function storeToSweep(messages: typeof LARGE): Promise<SessionStore> {
  const backend = backendWith((inner) => ({
    append: async (session, ...rest) => {
      if (isSweeping && session !== 'live') {
        await pass(WORK_MS)
        swept.push(performance.now())
      }
      return inner.append(session, ...rest)
    },
    maintenance: {
      reclaim: () => pass(REWRITE_MS),
    } as unknown as NonNullable<Backend['maintenance']>,
  }))
  const store = await openStore({ backend, retention: { removedEventsForMs: 0 }, sweep: 'manual' })
  for (const key of ['a', 'b', 'c', 'd']) {
    await store.addMessages(key, messages)
    await store.truncateHistory(key, 2)
  }
  isSweeping = true
  return store
}

/** By the clock that the test moves. */
function pass(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms))
}

/** Time passes, with a write every ten milliseconds. */
async function writeFor(store: SessionStore, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    await store.addMessage('live', 'user', 'hello')
    await vi.advanceTimersByTimeAsync(10)
  }
}

function pauses(): number[] {
  return swept.slice(1).map((at, i) => at - (swept[i] ?? 0) - WORK_MS)
}

test('while others write, a sweep pauses after each session for much longer than it worked', async () => {
  await using store = await storeToSweep(LARGE.slice(0, 10))
  const sweeping = store.sweep()
  await writeFor(store, 1000)
  expect(await sweeping).toMatchObject({ compacted: 4, done: true })
  for (const pause of pauses().slice(1)) expect(pause).toBeGreaterThanOrEqual(20 * WORK_MS)
})

test('after a rewrite of the storage the pause is longer still, until nobody has written for a second', async () => {
  await using store = await storeToSweep(LARGE)
  const sweeping = store.sweep()
  await writeFor(store, 3000)
  expect(swept).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(900)
  expect(swept).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(await sweeping).toMatchObject({ compacted: 4, done: true })
})

test('a sweep that nobody writes beside does not pause, whatever was written before', async () => {
  await using store = await storeToSweep(LARGE)
  const sweeping = store.sweep()
  await vi.advanceTimersByTimeAsync(4 * (WORK_MS + REWRITE_MS) + 20)
  expect(await sweeping).toMatchObject({ compacted: 4, done: true })
  expect(Math.max(...pauses())).toBeLessThan(2 * REWRITE_MS)
})

test('close does not wait for a pause', async () => {
  const store = await storeToSweep(LARGE)
  const sweeping = store.sweep()
  await writeFor(store, 100)
  expect(swept).toHaveLength(1)
  const ended = expect(sweeping).rejects.toMatchObject({ code: 'CLOSED' })
  await store.close()
  await ended
  expect(swept).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})
