import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { expect, test } from 'vitest'
import { runSeed, seeded } from '../seeded.ts'
import type { Fault } from './faulty-backend.ts'
import { backendWith, faultyBackend } from './faulty-backend.ts'

const KEY = 'outcome'

/** Gives these faults one after the other, then none. */
function script(...faults: Fault[]): () => Fault {
  return () => faults.shift() ?? 'none'
}

async function contents(store: SessionStore): Promise<unknown[]> {
  return (await store.getHistory(KEY)).map(({ content }) => content)
}

test('an append that failed before it was written is retried and acknowledged once', async () => {
  const store = await openStore(faultyBackend(script('before')))
  expect(await store.addMessage(KEY, 'user', 'a')).toMatchObject({ version: 1 })
  expect(await contents(store)).toEqual(['a'])
})

test('an append that failed after it was written is recognised by its ids and not written twice', async () => {
  const store = await openStore(faultyBackend(script('after')))
  expect(await store.addMessage(KEY, 'user', 'a')).toMatchObject({ version: 1 })
  expect(await contents(store)).toEqual(['a'])
  const ids: number[] = []
  for await (const event of store.events(KEY)) ids.push(event.seq)
  expect(ids).toEqual([1])
})

test('an append that was written although both attempts failed is acknowledged', async () => {
  const store = await openStore(faultyBackend(script('before', 'after')))
  expect(await store.addMessage(KEY, 'user', 'a')).toMatchObject({ version: 1 })
})

test('an append that was not written is an IO error, and the next one works', async () => {
  const store = await openStore(faultyBackend(script('before', 'before')))
  await expect(store.addMessage(KEY, 'user', 'a')).rejects.toMatchObject({ code: 'IO' })
  expect(await store.addMessage(KEY, 'user', 'b')).toMatchObject({ version: 1 })
  expect(await contents(store)).toEqual(['b'])
})

test('an append that trimmed its own beginning is recognised by its end', async () => {
  const store = await openStore(faultyBackend(script('none', 'after')))
  await store.addMessage(KEY, 'user', 'a')
  const [added, isDeleted] = await Promise.all([store.addMessage(KEY, 'user', 'b'), store.deleteSession(KEY)])
  expect([added, isDeleted]).toMatchObject([{ version: 2 }, true])
  expect(await contents(store)).toEqual([])
})

test('a place in the log that was trimmed before it could be compared is OUTCOME_UNKNOWN', async () => {
  let attempts = 0
  const store = await openStore(
    backendWith((inner) => ({
      append: async (session, expected, events, projection, options) => {
        attempts++
        if (attempts === 2) {
          await inner.append(session, expected, events, projection, options)
          const more = { seq: 2, id: 'other', type: 'Noted', v: 1, at: 0, kind: 'x', data: 0 }
          const last = { last: 1, incarnation: expected.incarnation }
          await inner.append(session, last, [more], projection, { trimBefore: 2 })
        }
        throw Object.assign(new Error('lost connection'))
      },
    })),
  )
  await expect(store.addMessage(KEY, 'user', 'a')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
})

test('a refusal that counted on a failed append is asked again', async () => {
  const store = await openStore(faultyBackend(script('none', 'before', 'before')))
  await store.addMessage(KEY, 'user', 'a')
  const [first, second] = await Promise.allSettled([
    store.addMessage(KEY, 'user', 'b'),
    store.addMessage(KEY, 'user', 'c', { expectedVersion: 1 }),
  ])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'IO' } })
  expect(second).toMatchObject({ status: 'fulfilled', value: { version: 2 } })
  expect(await contents(store)).toEqual(['a', 'c'])
})

test('a refusal of any kind that counted on a failed append is asked again, and what is refused by itself is refused', async () => {
  const store = await openStore(faultyBackend(script('before', 'before')))
  const [first, second, third] = await Promise.allSettled([
    store.setMetadata(KEY, { a: 'a'.repeat(3000) }),
    store.setMetadata(KEY, { b: 'b'.repeat(3000) }),
    store.setMetadata(KEY, { c: 'c'.repeat(5000) }),
  ])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'IO' } })
  expect(second).toMatchObject({ status: 'fulfilled', value: { version: 1 } })
  expect(third).toMatchObject({ status: 'rejected', reason: { code: 'TOO_LARGE' } })
})

test('over random faults the log holds exactly what was acknowledged, each once and in order', async () => {
  const first = runSeed('random faults')
  for (let seed = first; seed < first + 200; seed++) {
    const random = seeded(seed)
    const store = await openStore(faultyBackend(() => random.pick<Fault>(['none', 'none', 'before', 'after'])))
    const acknowledged: string[] = []
    await Promise.all(
      Array.from({ length: 3 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          const content = `${writer}:${i}`
          try {
            await store.addMessage(KEY, 'user', content)
            acknowledged.push(content)
          } catch (error) {
            expect(error).toMatchObject({ code: 'IO' })
          }
        }
      }),
    )
    const found = await contents(store)
    expect(new Set(found).size, `seed ${seed}`).toBe(found.length)
    expect(new Set(found), `seed ${seed}`).toEqual(new Set(acknowledged))
  }
})

test('a repeated operation id gives the first result and writes nothing', async () => {
  const store = await openStore(faultyBackend(script()))
  for (let i = 0; i < 6; i++) await store.addMessage(KEY, 'user', String(i))
  const cut = await store.truncateHistory(KEY, 2, { operationId: 'cut' })
  await store.addMessage(KEY, 'user', 'later')
  const { prefix, ...told } = cut
  expect(prefix).toMatchObject({ kept: { messages: 0 }, lost: { messages: 6 } })
  expect(await store.truncateHistory(KEY, 2, { operationId: 'cut' })).toEqual(told)
  expect(await contents(store)).toEqual(['4', '5', 'later'])
  await expect(store.truncateHistory(KEY, 1, { operationId: 'cut' })).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('the last 32 operation ids survive compaction and another store', async () => {
  const backend = faultyBackend(script())
  const store = await openStore(backend)
  for (let i = 0; i < 40; i++) await store.addMessage(KEY, 'user', String(i), { operationId: `op ${i}` })
  await store.truncateHistory(KEY, 1)
  await store.compact(KEY)
  const other = await openStore({ backend, viewCacheBytes: 0 })
  const { version } = await other.load(KEY)
  for (let i = 8; i < 40; i++) {
    expect(await other.addMessage(KEY, 'user', String(i), { operationId: `op ${i}` })).toMatchObject({ version: i + 1 })
  }
  expect((await other.load(KEY)).version).toBe(version)
})
