import * as fc from 'fast-check'
import { openStore } from '@turnlog/core'
import type { Message, RetentionPolicy, SessionEvent, SessionStore, StoreSettings } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { runSeed } from '../seeded.ts'
import { backendWith } from '../store/faulty-backend.ts'
import { DAY_MS, TestClock, YEAR_MS } from './test-clock.ts'

const KEY = 'a:1'

async function open(settings: StoreSettings<Message>): Promise<SessionStore> {
  return openStore({ backend: memoryBackend(), sweep: 'manual', ...settings })
}

async function fill(store: SessionStore, count = 50, key = KEY): Promise<void> {
  await store.addMessages(
    key,
    Array.from({ length: count }, (_, i) => ({ role: 'user', content: `${i}`.padEnd(100) })),
  )
}

async function log(store: SessionStore): Promise<SessionEvent<Message>[]> {
  const events = []
  for await (const event of store.events(KEY)) events.push(event)
  return events
}

test('with 0, what left the view is gone at the next sweep, and the log says so', async () => {
  const clock = new TestClock()
  await using store = await open({ clock, retention: { removedEventsForMs: 0 } })
  await store.addMessage(KEY, 'system', 'Be kind.')
  await fill(store)
  await store.setHistory(KEY, [
    ...(await store.getHistory(KEY)).slice(0, 1),
    ...(await store.getHistory(KEY)).slice(-5),
  ])
  await store.setSummary(KEY, 'They counted.')
  const before = await store.load(KEY)
  clock.advance(1000)
  const { compacted, eventsRemoved } = await store.sweep()
  expect(compacted).toBe(1)
  expect(eventsRemoved).toBeGreaterThanOrEqual(46)
  const after = await store.load(KEY)
  expect({ ...after, version: 0, positions: [] }).toEqual({ ...before, version: 0, positions: [] })
  const events = await log(store)
  expect(events.at(-1)).toMatchObject({
    type: 'Compacted',
    reason: 'retention',
    removedEvents: eventsRemoved,
    at: clock.now(),
  })
  await expect(store.getHistory(KEY, { at: 20 })).rejects.toMatchObject({ code: 'TRIMMED' })
  // Nothing more to gain, so nothing more is written.
  expect(await store.sweep()).toMatchObject({ compacted: 0 })
  expect((await store.load(KEY)).version).toBe(after.version)
  expect(await store.verify()).toMatchObject({ ok: true })
})

test('what left the view can be looked at and restored for as long as was asked, and goes later', async () => {
  const clock = new TestClock()
  await using store = await open({ clock, retention: { removedEventsForMs: 7 * DAY_MS } })
  await fill(store)
  const all = await store.getHistory(KEY)
  const { version } = await store.truncateHistory(KEY, 5)
  for (let day = 0; day < 7; day++) {
    expect(await store.sweep()).toMatchObject({ compacted: 0 })
    expect(await store.getHistory(KEY, { at: version - 1 })).toEqual(all)
    clock.advance(DAY_MS)
  }
  expect(await store.sweep()).toMatchObject({ compacted: 1 })
  await expect(store.getHistory(KEY, { at: version - 1 })).rejects.toMatchObject({ code: 'TRIMMED' })
  expect(await store.getHistory(KEY)).toEqual(all.slice(-5))
  expect((await log(store)).length).toBeLessThan(12)
  expect(await store.verify()).toMatchObject({ ok: true })
})

test('a restore between the two halves of a compaction keeps what it brought back', async () => {
  const clock = new TestClock()
  await using store = await open({ clock, retention: { removedEventsForMs: DAY_MS } })
  await fill(store)
  const all = await store.getHistory(KEY)
  const { version } = await store.truncateHistory(KEY, 5)
  await store.sweep()
  await store.restore(KEY, { at: version - 1 })
  clock.advance(DAY_MS)
  expect(await store.sweep()).toMatchObject({ compacted: 0 })
  expect(await store.getHistory(KEY)).toEqual(all)
  expect(await store.verify()).toMatchObject({ ok: true })
})

test('a summary that was taken back before a checkpoint is still that of the versions before', async () => {
  const clock = new TestClock()
  await using store = await open({ clock, retention: { removedEventsForMs: DAY_MS } })
  await fill(store)
  const { version } = await store.summarize(KEY, { summary: 'They counted.', through: 40, version: 50 })
  await store.truncateHistory(KEY, 3)
  await store.setSummary(KEY, '')
  await store.sweep()
  expect((await log(store)).at(-1)).toMatchObject({ type: 'Compacted', removedEvents: 0 })
  await store.fork(KEY, 'copy', { at: version })
  expect(await store.getSummary('copy')).toBe('They counted.')
  expect(await store.getSummary(KEY)).toBe('')
})

test.each([
  ['ASCII', 'x'],
  ['Chinese', '\u4e2d'],
  ['control', '\u0001'],
])('a session with a long summary of %s text is not compacted again and again', async (_name, text) => {
  const bytesOf = (events: readonly object[]): number => Buffer.byteLength(JSON.stringify(events))
  const backend = backendWith((inner) => ({
    // As a backend in files would say.
    list: async function* (range) {
      for await (const batch of inner.list(range)) {
        for (const head of batch) {
          const events = []
          for await (const some of inner.read(head.session, [{ from: 1, to: head.last }])) events.push(...some)
          yield [{ ...head, bytes: bytesOf(events) }]
        }
      }
    },
  }))
  await using store = await openStore({ backend, retention: { removedEventsForMs: 0 }, sweep: 'manual' })
  for (const messages of [0, 1, 5, 20]) {
    const key = `a:${messages}`
    await store.addMessage(key, 'user', 'first')
    await store.setSummary(key, text.repeat(50_000))
    await store.truncateHistory(key, 0)
    await fill(store, messages, key)
  }
  await store.sweep()
  const before = await store.stats()
  for (let sweep = 0; sweep < 5; sweep++) expect(await store.sweep()).toMatchObject({ compacted: 0 })
  expect(await store.stats()).toEqual(before)
})

test('an old system prompt does not keep what lies behind it', async () => {
  const clock = new TestClock()
  await using store = await open({ clock, retention: { removedEventsForMs: DAY_MS } })
  await store.addMessage(KEY, 'system', 'Be kind.')
  for (let day = 0; day < 30; day++) {
    await fill(store, 40)
    const history = await store.getHistory(KEY)
    await store.setHistory(KEY, [history[0] as Message, ...history.slice(-10)])
    await store.sweep()
    clock.advance(DAY_MS)
  }
  expect((await log(store)).length).toBeLessThan(4 * 60)
  expect((await store.getHistory(KEY))[0]?.content).toBe('Be kind.')
})

test('nothing is removed while the clock is wrong, forward or back', async () => {
  for (const jump of [YEAR_MS, -YEAR_MS]) {
    const clock = new TestClock()
    await using store = await open({ clock, retention: { removedEventsForMs: 7 * DAY_MS }, onWarning: () => undefined })
    await fill(store)
    const { version } = await store.truncateHistory(KEY, 5)
    await store.sweep()
    clock.jump(jump)
    expect(await store.sweep()).toMatchObject({ compacted: 0, clockJumped: true })
    expect(await store.getHistory(KEY, { at: version - 1 })).toHaveLength(50)
    clock.jump(-jump)
    expect(await store.sweep()).toMatchObject({ compacted: 0, clockJumped: false })
    expect(await store.getHistory(KEY, { at: version - 1 })).toHaveLength(50)
  }
})

test('a checkpoint that a wrong clock dated into the future does not keep the past for ever', async () => {
  const backend = memoryBackend()
  backend.close = async () => undefined // the next store looks at the same sessions
  const retention = { removedEventsForMs: DAY_MS }
  const wrong = new TestClock()
  wrong.jump(YEAR_MS)
  const first = await openStore({ backend, clock: wrong, retention, sweep: 'manual' })
  await fill(first)
  await first.truncateHistory(KEY, 5)
  await first.sweep()
  await first.close()
  const clock = new TestClock()
  const second = await openStore({ backend, clock, retention, sweep: 'manual' })
  expect(await second.sweep()).toMatchObject({ compacted: 0 })
  clock.advance(DAY_MS)
  expect(await second.sweep()).toMatchObject({ compacted: 1 })
  await second.close()
})

test.each<[string, RetentionPolicy]>([
  ['forever', { removedEventsForMs: 'forever' }],
  ['forever for its prefix', { removedEventsForMs: 0, prefixes: { 'a:': { removedEventsForMs: 'forever' } } }],
])('events that are kept %s stay, also from autoCompact', async (_name, retention) => {
  const clock = new TestClock()
  await using store = await open({ clock, retention, autoCompact: { deadRatio: 0, minBytes: 0 } })
  await fill(store)
  await store.truncateHistory(KEY, 1)
  for (let year = 0; year < 3; year++) {
    clock.advance(YEAR_MS)
    expect(await store.sweep()).toMatchObject({ compacted: 0 })
  }
  expect(await store.getHistory(KEY, { at: 50 })).toHaveLength(50)
})

test('autoCompact waits for both of its limits', async () => {
  await using store = await open({ autoCompact: { deadRatio: 0.5, minBytes: 20_000 } })
  await fill(store, 100)
  await store.truncateHistory(KEY, 60)
  expect(await store.sweep()).toMatchObject({ compacted: 0 }) // 40 % are dead
  await store.truncateHistory(KEY, 40)
  expect(await store.sweep()).toMatchObject({ compacted: 1 })
  expect((await log(store)).at(-1)).toMatchObject({ type: 'Compacted', reason: 'autoCompact' })
  await fill(store, 40, 'a:2')
  await store.truncateHistory('a:2', 5)
  expect(await store.sweep()).toMatchObject({ compacted: 0 }) // few bytes
})

test('a long dead tool result counts for what it takes, not as one event of many', async () => {
  await using store = await open({ autoCompact: { deadRatio: 0.5, minBytes: 10_000 } })
  await store.addMessage(KEY, 'tool', 'x'.repeat(200_000))
  await fill(store, 60)
  await store.truncateHistory(KEY, 60)
  expect((await store.stats()).deadBytes).toBeGreaterThan((await store.stats()).bytes / 2)
  expect(await store.sweep()).toMatchObject({ compacted: 1 })
  expect((await log(store)).length).toBeLessThan(65)
})

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('cut' as const), keep: fc.integer({ min: 0, max: 15 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('summary' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('summarize' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('edit' as const), index: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), back: fc.nat(60) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('sweep' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
)

test('every version of the last day can be looked at, whatever was done and swept, and the log stays true', async () => {
  const retentionMs = DAY_MS
  let removed = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), fc.boolean(), async (steps, cold) => {
      const clock = new TestClock()
      const viewCacheBytes = cold ? 0 : 1_000_000
      const retention = { removedEventsForMs: retentionMs }
      await using store = await open({ clock, retention, viewCacheBytes })
      let versions: { version: number; until: number; messages: string; summary: string }[] = []
      for (const one of steps) {
        removed += (await take(store, clock, one)) ?? 0
        const { version, messages, summary } = await store.load(KEY)
        if (one.kind === 'compact') versions = [] // asked for by hand, so the past goes at once
        const last = versions.at(-1)
        if (last !== undefined && last.version !== version) last.until = clock.now()
        if (last?.version !== version) {
          versions.push({ version, until: Infinity, messages: JSON.stringify(messages), summary })
        }
        if (one.kind !== 'sweep') continue
        const recent = versions.filter(({ until }) => until > clock.now() - retentionMs)
        for (const { version: at, messages: then } of recent) {
          expect(JSON.stringify(await store.getHistory(KEY, { at }))).toBe(then)
        }
        const [oldest] = recent
        if (oldest !== undefined && oldest.version > 0) {
          await store.fork(KEY, 'copy', { at: oldest.version })
          expect(await store.getSummary('copy')).toBe(oldest.summary)
          await store.deleteSession('copy', { erase: true })
        }
        expect(await store.verify()).toMatchObject({ ok: true })
      }
    }),
    { seed: runSeed('retention'), numRuns: 40 },
  )
  expect(removed).toBeGreaterThan(100)
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take(store: SessionStore, clock: TestClock, one: Step): Promise<number | void> {
  const { version, positions, messages } = await store.load(KEY)
  switch (one.kind) {
    case 'add':
      return fill(store, one.count)
    case 'cut':
      await store.truncateHistory(KEY, one.keep)
      return
    case 'summary':
      await store.setSummary(KEY, `until ${version}`)
      return
    case 'summarize': {
      const through = positions[Math.floor(one.share * (positions.length - 1))]
      if (through !== undefined) await store.summarize(KEY, { summary: `by ${version}`, through, version })
      return
    }
    case 'edit':
      if (messages.length === 0) return
      messages[one.index % messages.length] = { role: 'user', content: `${version}` }
      await store.setHistory(KEY, messages)
      return
    case 'restore': {
      const at = Math.max(1, version - one.back)
      if (version > 0) await store.restore(KEY, { at }).catch(ignoreTrimmed)
      return
    }
    case 'wait':
      clock.advance(one.hours * 60 * 60 * 1000)
      return
    case 'sweep':
      return (await store.sweep()).eventsRemoved
    case 'compact':
      await store.compact(KEY)
  }
}

function ignoreTrimmed(error: { readonly code?: string }): void {
  if (error.code !== 'TRIMMED') throw error
}
