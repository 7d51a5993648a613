import { openStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { copyStore } from '@turnlog/transfer'
import type { TransferProgress } from '@turnlog/transfer'
import { expect, test } from 'vitest'

import { runSeed, seeded } from '../../core/test/seeded.ts'
import { backendWith } from '../../core/test/store/faulty-backend.ts'
import { fillWithSamples, textOf } from './sample-sessions.ts'

async function openBackend(backend: Backend = memoryBackend()): Promise<Backend> {
  await backend.open()
  return backend
}

async function sampleBackend(): Promise<Backend> {
  const backend = await openBackend()
  await fillWithSamples(backend)
  return backend
}

test('every event arrives with its seq, id and time, also of compacted and deleted sessions', async () => {
  const from = await sampleBackend()
  const to = await openBackend()
  const told: TransferProgress[] = []
  const report = await copyStore(from, to, { onProgress: (progress) => told.push(progress) })
  expect(report).toMatchObject({ ok: true, counts: { copied: 6, conflict: 0, failed: 0 }, problems: [] })
  expect(await textOf(to)).toBe(await textOf(from))
  expect(told.map(({ done, total }) => [done, total])).toEqual([1, 2, 3, 4, 5, 6].map((done) => [done, 6]))
  expect(told.at(-1)?.events).toBe(report.events)
  const store = await openStore(to)
  expect(await store.verify()).toMatchObject({ ok: true, sessions: 6 })
  expect(await store.getSummary('compacted')).toBe('short')
})

test('a second copy writes nothing, and one after more was written continues', async () => {
  const from = await sampleBackend()
  const to = await openBackend()
  await copyStore(from, to)
  expect(await copyStore(from, to)).toMatchObject({ ok: true, events: 0, counts: { 'already-there': 6 } })
  const store = await openStore(from)
  await store.addMessage('plain', 'user', 'more')
  await store.compact('cut')
  expect((await from.head('cut'))?.first).toBeGreaterThan(1)
  expect(await copyStore(from, to)).toMatchObject({ ok: true, counts: { resumed: 2, 'already-there': 4 } })
  expect(await textOf(to)).toBe(await textOf(from))
})

test('a session that differs is reported and never changed', async () => {
  const from = await sampleBackend()
  const to = await openBackend()
  await copyStore(from, to)
  const target = await openStore(to)
  await target.addMessage('plain', 'user', 'written here')
  await target.deleteSession('odd', { erase: true })
  await target.addMessage('odd', 'user', 'made anew here')
  const before = await textOf(to)
  const report = await copyStore(from, to)
  expect(report.ok).toBe(false)
  expect(report.counts).toMatchObject({ conflict: 2, 'already-there': 4 })
  expect(report.problems).toMatchObject([
    { session: 'odd', code: 'CONFLICT' },
    { session: 'plain', code: 'CONFLICT' },
  ])
  expect(await textOf(to)).toBe(before)
})

test('the same life with another event in it is a conflict, not a beginning to continue', async () => {
  const from = await sampleBackend()
  const to = await openBackend()
  await copyStore(from, to)
  const [source, target] = [await openStore(from), await openStore(to)]
  await source.addMessage('plain', 'user', 'here')
  await source.addMessage('plain', 'user', 'here as well')
  await target.addMessage('plain', 'user', 'there')
  expect(await copyStore(from, to)).toMatchObject({ counts: { conflict: 1 }, problems: [{ session: 'plain' }] })
})

test('what was compacted past the end of an earlier copy cannot be compared, so it is a conflict', async () => {
  const from = await sampleBackend()
  const to = await openBackend()
  await copyStore(from, to)
  const store = await openStore(from)
  for (let i = 0; i < 30; i++) await store.addMessage('plain', 'user', `${i}`)
  await store.truncateHistory('plain', 3)
  await store.compact('plain')
  const report = await copyStore(from, to)
  expect(report).toMatchObject({ counts: { conflict: 1 }, problems: [{ session: 'plain' }] })
  await to.erase('plain', 1)
  expect(await copyStore(from, to)).toMatchObject({ ok: true, counts: { copied: 1 } })
})

test('a long session takes several appends, and until the last one it is not taken for whole', async () => {
  const from = await openBackend()
  const store = await openStore(from)
  const text = 'x'.repeat(1_000_000)
  for (let i = 0; i < 12; i++) await store.addMessage('long', 'user', text)
  await store.truncateHistory('long', 2)
  let appends = 0
  const to = await openBackend(
    backendWith((inner) => ({
      append: async (...args) => {
        appends++
        if (appends === 3) throw new StoreError('IO', 'The disk failed.')
        await inner.append(...args)
      },
    })),
  )
  await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'IO' })
  const part = await openStore(to)
  const { problems } = await part.verify()
  expect(problems).toMatchObject([
    { session: 'long', message: expect.stringContaining('copied only in part') as string },
  ])
  expect((await part.getHistory('long')).length).toBeGreaterThan(2)
  expect(await copyStore(from, to)).toMatchObject({ ok: true, counts: { resumed: 1 } })
  expect(await textOf(to)).toBe(await textOf(from))
})

test('whenever it is interrupted, the next copy completes it', async () => {
  const random = seeded(runSeed('copy interruptions'))
  const from = await sampleBackend()
  const wanted = await textOf(from)
  for (let round = 0; round < 50; round++) {
    const steps = random.below(60)
    let left = steps
    let armed = true
    const step = (): void => {
      left--
      if (armed && left < 0) throw new StoreError('IO', 'Interrupted.')
    }
    const to = await openBackend(
      backendWith((inner) => ({
        append: async (...args) => {
          step()
          await inner.append(...args)
          step()
        },
        head: async (session) => {
          step()
          return inner.head(session)
        },
      })),
    )
    await copyStore(from, to).catch((error: unknown) => expect(error).toMatchObject({ code: 'IO' }))
    armed = false
    expect(await copyStore(from, to)).toMatchObject({ ok: true })
    expect(await textOf(to), `after ${steps} steps`).toBe(wanted)
  }
})

test('a target that does not give back what it got is found out', async () => {
  const from = await sampleBackend()
  const to = await openBackend(
    backendWith((inner) => ({
      append: (session, expected, events, projection, options) =>
        inner.append(
          session,
          expected,
          events.map((event) => (session === 'cut' && event.seq === 7 ? { ...event, at: 0 } : event)),
          projection,
          options,
        ),
    })),
  )
  expect(await copyStore(from, to)).toMatchObject({
    ok: false,
    counts: { copied: 5, failed: 1 },
    problems: [{ session: 'cut', code: 'CORRUPT', message: expect.stringContaining('event 7') }],
  })
})

test('a target that does not keep the projection is found out', async () => {
  const from = await sampleBackend()
  const to = await openBackend(
    backendWith((inner) => ({
      append: (session, expected, events, projection, options) =>
        inner.append(session, expected, events, session === 'odd' ? null : projection, options),
    })),
  )
  expect(await copyStore(from, to)).toMatchObject({
    counts: { copied: 5, failed: 1 },
    problems: [{ session: 'odd', code: 'CORRUPT', message: expect.stringContaining('head') }],
  })
})

test('a damaged session is reported, and the others are copied', async () => {
  let damaged: string | undefined
  const from = backendWith((inner) => ({
    read: async function* (session, ranges, options) {
      for await (const batch of inner.read(session, ranges, options)) {
        yield session === damaged ? batch.filter(({ seq }) => seq !== 9) : batch
      }
    },
  }))
  await from.open()
  await fillWithSamples(from)
  damaged = 'cut'
  const to = await openBackend()
  expect(await copyStore(from, to)).toMatchObject({
    counts: { copied: 5, failed: 1 },
    problems: [{ session: 'cut', code: 'CORRUPT' }],
  })
  expect(await to.head('cut')).toBeUndefined()
})

test('a session that is compacted under the copy is copied as it is then', async () => {
  const from = await sampleBackend()
  const store = await openStore(from)
  let compacted = false
  const to = await openBackend(
    backendWith((inner) => ({
      head: async (session) => {
        if (session === 'cut' && !compacted) {
          compacted = true
          await store.compact('cut')
        }
        return inner.head(session)
      },
    })),
  )
  expect(await copyStore(from, to)).toMatchObject({ ok: true, counts: { copied: 6 } })
  expect(compacted).toBe(true)
  expect(await textOf(to)).toBe(await textOf(from))
})

test('a session of which nothing can be read any more keeps its number', async () => {
  const from = await openBackend()
  const event = { seq: 1, id: 'e1', type: 'Noted', v: 1, at: 1, kind: 'k', data: null }
  await from.append('empty', { last: 0, incarnation: 'life' }, [event], null, { trimBefore: 2 })
  const to = await openBackend()
  expect(await copyStore(from, to)).toMatchObject({ ok: true })
  expect(await to.head('empty')).toMatchObject({ first: 2, last: 1, incarnation: 'life' })
  expect(await copyStore(from, to)).toMatchObject({ ok: true, counts: { 'already-there': 1 } })
})

test('a signal ends it, and a store is not copied onto itself', async () => {
  const from = await sampleBackend()
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(copyStore(from, await openBackend(), { signal })).rejects.toThrow('enough')
  await expect(copyStore(from, from)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})
