import * as fc from 'fast-check'
import { openStore, ViewFold } from '@turnlog/core'
import type { SessionEvent, SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { TestClock } from '../retention/test-clock.ts'
import { runSeed } from '../seeded.ts'
import type { Turn } from '../store/random-operations.ts'
import { KEY, operation, run } from '../store/random-operations.ts'

const options = { seed: runSeed('view fold'), numRuns: Number(process.env['RUNS'] ?? 200) }

const settings = fc.constantFrom<object>(
  {},
  { limits: { maxMessages: 6 } },
  { retention: { removedEventsForMs: 5000 } },
)

const step = fc.oneof(
  { weight: 30, arbitrary: operation },
  { weight: 3, arbitrary: fc.constant({ kind: 'sweep' as const }) },
)

test('a fold of the events agrees with load at every version, whatever was done', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), settings, async (steps, more) => {
      const clock = new TestClock()
      const store = await openStore<Turn>({ backend: memoryBackend(), clock, sweep: 'manual', ...more })
      let checked = 0
      for (const [index, one] of steps.entries()) {
        const done = one.kind === 'sweep' ? store.sweep() : run(store, one, `op-${index}`)
        await done.catch((error: unknown) => {
          // With a limit the view need not be what was asked for.
          if (!('limits' in more)) throw error
        })
        clock.advance(1000)
        const { version } = await store.load(KEY)
        if (version > 0) await compareFrom(store, checked + 1)
        checked = version
      }
      await store.close()
    }),
    options,
  )
})

async function compareFrom(store: SessionStore<Turn>, first: number): Promise<void> {
  const fold = new ViewFold()
  for await (const event of store.events(KEY)) {
    const before = fold.positions
    const effect = fold.apply(event)
    expect(fold.positions).toHaveLength(effect.length)
    const moved = new Map(effect.moved)
    const stayed = before.filter((one) => !effect.removed.includes(one)).map((one) => moved.get(one) ?? one)
    const { positions } = fold
    expect([...stayed, ...effect.added].toSorted(ascending)).toEqual(positions.toSorted(ascending))
    const past = event.seq < first ? undefined : await store.load(KEY, { at: event.seq }).catch(unlessTrimmed)
    if (past === undefined) continue
    expect(effect.isWhole).toBe(true)
    expect(fold).toMatchObject({ version: past.version, summary: past.summary, positions: past.positions })
  }
}

function ascending(a: number, b: number): number {
  return a - b
}

function unlessTrimmed(error: { readonly code?: string }): undefined {
  if (error.code !== 'TRIMMED') throw error as Error
}

async function eventsOf(store: SessionStore): Promise<SessionEvent<unknown>[]> {
  const events = []
  for await (const event of store.events(KEY)) events.push(event)
  return events
}

test('each event says what it did', async () => {
  await using store = await openStore({ backend: memoryBackend() })
  for (const content of ['a', 'b', 'c', 'd']) await store.addMessage(KEY, 'user', content)
  await store.setSummary(KEY, 'early')
  await store.truncateHistory(KEY, 2)
  await store.setSummary(KEY, 'late')
  await store.note(KEY, 'mark', 1)
  await store.restore(KEY, { at: 2 })
  const fold = new ViewFold()
  const effects = (await eventsOf(store)).map((event) => fold.apply(event))
  const nothing = { added: [], removed: [], isWhole: true }
  expect(effects.slice(3)).toEqual([
    { ...nothing, added: [4], length: 4 },
    { ...nothing, length: 4, summary: { before: '', after: 'early' } },
    { ...nothing, removed: [1, 2], length: 2 },
    { ...nothing, length: 2, summary: { before: 'early', after: 'late' } },
    { ...nothing, length: 2 },
    { ...nothing, added: [1, 2], removed: [3, 4], length: 2 },
    { ...nothing, length: 2, summary: { before: 'late', after: '' } },
  ])
})

test('a message that compaction stored anew has moved, and neither came nor went', async () => {
  await using store = await openStore({ backend: memoryBackend() })
  await store.addMessage(KEY, 'system', 'Be kind.')
  for (let i = 0; i < 20; i++) await store.addMessage(KEY, 'user', `${i}`.padEnd(200))
  const [system, ...others] = await store.getHistory(KEY)
  await store.setHistory(KEY, [system as never, ...others.slice(-3)])
  const fold = new ViewFold()
  for (const event of await eventsOf(store)) fold.apply(event)
  const last = fold.version
  await store.compact(KEY)
  const effects = (await eventsOf(store)).filter(({ seq }) => seq > last).map((event) => fold.apply(event))
  expect(effects).toContainEqual({ added: [], removed: [], moved: [[1, last + 1]], length: 4, isWhole: true })
  expect(fold.positions).toEqual((await store.load(KEY)).positions)
})

test('a log that compaction shortened is not whole until a view event states a view that is', async () => {
  await using store = await openStore({ backend: memoryBackend() })
  for (let i = 0; i < 20; i++) await store.addMessage(KEY, 'user', `${i}`.padEnd(200))
  await store.truncateHistory(KEY, 3)
  await store.compact(KEY)
  const fold = new ViewFold()
  const effects = (await eventsOf(store)).map((event) => fold.apply(event))
  expect(effects[0]?.isWhole).toBe(false)
  expect(effects.at(-1)).toMatchObject({ isWhole: true, length: 3 })
})
