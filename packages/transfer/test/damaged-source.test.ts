import { openStore } from '@turnlog/core'
import type { Backend, ListRange, SessionHead } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { copyStore, exportSessions, importSessions } from '@turnlog/transfer'
import { describe, expect, test } from 'vitest'

import { backendWith } from '../../core/test/store/faulty-backend.ts'

// What becomes of the sound sessions when the heads of others are damaged: they can all be had, and nothing is silent.

const KEYS = Array.from({ length: 300 }, (_, i) => `s${String(i).padStart(3, '0')}`)

const corrupt = (session: string): StoreError => new StoreError('CORRUPT', `${session} is damaged.`, { session })

/** The heads that a damaged backend lists: it throws where the damage is, with all of the batch, or only at the end. */
const LISTINGS = {
  'on the spot': async function* (inner: Backend, range: ListRange, damaged: ReadonlySet<string>) {
    for await (const batch of inner.list(range)) {
      for (const { session } of batch) if (damaged.has(session)) throw corrupt(session)
      yield batch
    }
  },
  'at the end, of the first alone': async function* (inner: Backend, range: ListRange, damaged: ReadonlySet<string>) {
    let first: string | undefined
    for await (const batch of inner.list(range)) {
      first ??= batch.find(({ session }) => damaged.has(session))?.session
      const sound = batch.filter(({ session }) => !damaged.has(session))
      if (sound.length > 0) yield sound
    }
    if (first !== undefined) throw corrupt(first)
  },
}

async function* never(): AsyncGenerator<readonly SessionHead[]> {}

describe.each(Object.keys(LISTINGS) as (keyof typeof LISTINGS)[])('a backend that tells damage %s', (how) => {
  async function damagedBackend(...damaged: readonly string[]): Promise<Backend> {
    const hurt = new Set<string>()
    const backend = backendWith((inner) => ({
      list: (range = {}) => (hurt.size === 0 ? inner.list(range) : LISTINGS[how](inner, range, hurt)),
      head: async (session) => {
        if (hurt.has(session)) throw corrupt(session)
        return inner.head(session)
      },
    }))
    const store = await openStore(backend)
    for (const key of KEYS) await store.addMessage(key, 'user', 'hello')
    await store.deleteSession('s010')
    for (const key of damaged) hurt.add(key)
    return backend
  }

  const hurt = ['s000', 's007', 's008', 's123', 's299']
  const rest = KEYS.filter((key) => !hurt.includes(key))

  test('is copied but for the damaged sessions, each of which has failed', async () => {
    const to = memoryBackend()
    await to.open()
    const totals = new Set<number | undefined>()
    const report = await copyStore(await damagedBackend(...hurt), to, { onProgress: ({ total }) => totals.add(total) })
    expect(report).toMatchObject({ ok: false, counts: { copied: 295, failed: 5 } })
    expect(report.problems.map(({ session, code }) => [session, code])).toEqual(hurt.map((key) => [key, 'CORRUPT']))
    expect([...totals]).toEqual([300])
    const copied: string[] = []
    for await (const batch of to.list()) copied.push(...batch.map(({ session }) => session))
    expect(copied).toEqual(rest)
  })

  test('is exported whole without the damaged sessions if somebody wants to hear of them, and otherwise fails', async () => {
    const from = await damagedBackend(...hurt)
    const told: unknown[] = []
    const to = memoryBackend()
    await to.open()
    const report = await importSessions(to, exportSessions(from, { onDamaged: ({ session }) => told.push(session) }))
    expect(report).toMatchObject({ ok: true, counts: { copied: 295 } })
    expect(told).toEqual(hurt)
    const named = exportSessions(from, { keys: ['s007', 's009'], onDamaged: ({ session }) => told.push(session) })
    expect(await importSessions(to, named)).toMatchObject({ ok: true, counts: { 'already-there': 1 } })
    expect(told.at(-1)).toBe('s007')
    await expect(importSessions(to, exportSessions(from))).rejects.toMatchObject({ code: 'CORRUPT', session: 's000' })
  })

  test('is verified to the end, and every damaged session is a problem', async () => {
    const backend = await damagedBackend(...hurt)
    const store = await openStore(backend)
    const report = await store.verify()
    expect(report).toMatchObject({ ok: false, sessions: 300 })
    expect(report.problems.map(({ session }) => session)).toEqual(hurt)
    expect(await store.verify('s007')).toMatchObject({ ok: false, sessions: 1, problems: [{ session: 's007' }] })
    expect(await store.verify('s009')).toMatchObject({ ok: true, sessions: 1 })
  })

  test('is listed page by page, and a page tells the damage that lies in it after its last session', async () => {
    const store = await openStore(await damagedBackend(...hurt))
    const page = async (after: string | undefined, limit: number): Promise<[string[], unknown]> => {
      const keys: string[] = []
      try {
        const range = after === undefined ? {} : { after }
        for await (const { key } of store.listSessions({ ...range, limit })) keys.push(key)
      } catch (error) {
        return [keys, (error as StoreError).session]
      }
      return [keys, undefined]
    }
    expect(await page(undefined, 2)).toEqual([['s001', 's002'], 's000'])
    expect(await page('s002', 3)).toEqual([['s003', 's004', 's005'], undefined])
    expect(await page('s005', 3)).toEqual([['s006', 's009', 's011'], 's007'])
    expect(await page('s011', 1)).toEqual([['s012'], undefined])
    expect(await page('s297', 5)).toEqual([['s298'], 's299'])
    const all: string[] = []
    const told = new Set<unknown>()
    for (let last: string | undefined, count = 1; count > 0;) {
      const [keys, damage] = await page(last, 50)
      all.push(...keys)
      if (damage !== undefined) told.add(damage)
      count = keys.length
      last = keys.at(-1)
    }
    expect(all).toEqual(rest.filter((key) => key !== 's010'))
    expect([...told]).toEqual(['s000', 's123', 's299'])
  })
})

test('what the backend has told of a damaged session is not told a second time', async () => {
  const problems = [{ message: 'Line 4 is wrong.', session: 'a', seq: 3 }]
  const backend = backendWith((inner) => ({
    head: () => Promise.reject(corrupt('a')),
    list: () => LISTINGS['on the spot'](inner, {}, new Set(['a'])),
    maintenance: {
      verify: () => Promise.resolve({ sessions: 1, events: 0, bytes: 0, problems }),
      repair: () => Promise.resolve({ applied: false, actions: [] }),
      reclaim: () => Promise.resolve({ bytesFreed: 0 }),
      sizes: () => Promise.resolve({ bytes: 0, files: 0 }),
    },
  }))
  const store = await openStore(backend)
  expect((await store.verify('a')).problems).toEqual(problems)
})

test('a session with damage behind its first events leaves nothing of itself in the export', async () => {
  const from = backendWith((inner) => ({
    async *read(session, ranges, options) {
      for await (const batch of inner.read(session, ranges, options)) {
        for (const event of batch) {
          if (session === 'b' && event.seq === 3) throw corrupt(session)
          yield [event]
        }
      }
    },
  }))
  const store = await openStore(from)
  for (const key of ['a', 'b', 'c']) {
    for (const content of ['1', '2', '3', '4']) await store.addMessage(key, 'user', content)
  }
  const told: unknown[] = []
  let text = ''
  for await (const line of exportSessions(from, { onDamaged: ({ session }) => told.push(session) })) text += line
  expect(told).toEqual(['b'])
  expect(text).not.toContain('"session":"b"')
  expect(text).toContain('{"end":{"sessions":2}}')
})

test('a failure that is no damage ends a copy', async () => {
  const from = backendWith(() => ({
    list: () => {
      const heads = never()
      heads.next = () => Promise.reject(new StoreError('IO', 'The disk failed.'))
      return heads
    },
  }))
  await from.open()
  const to = memoryBackend()
  await to.open()
  await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'IO' })
})
