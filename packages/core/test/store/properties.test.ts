import * as fc from 'fast-check'
import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { EVENT_SCHEMA } from '../../src/events/upcast.ts'
import { foldLog, loadState } from '../../src/view/load-state.ts'
import { projectionOf } from '../../src/view/projection.ts'
import type { SessionState } from '../../src/view/session-state.ts'
import { runSeed } from '../seeded.ts'

interface Turn {
  readonly role: string
  readonly content: string
}

const KEY = 'property'
const seed = runSeed('store properties')
const options = { seed, numRuns: Number(process.env['RUNS'] ?? 200) }

const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string({ maxLength: 12 }) })

/** One operation, with numbers that are taken modulo what there is. */
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate' as const), keep: fc.nat(8) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('summarize' as const),
      index: fc.nat(),
      text: fc.string({ maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('summary' as const), text: fc.string({ maxLength: 8 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      order: fc.array(fc.nat(), { maxLength: 12 }),
      extra: fc.array(message, { maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      index: fc.nat(),
      messages: fc.array(message, { maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('metadata' as const), value: fc.string({ maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note' as const), value: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
)

type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never

async function run(store: SessionStore<Turn>, step: Operation, id: string): Promise<void> {
  const { messages, positions, version } = await store.load(KEY)
  const write = step.kind === 'add' || step.kind === 'truncate' ? { operationId: id } : {}
  switch (step.kind) {
    case 'add':
      await store.addMessages(KEY, step.messages, write)
      break
    case 'truncate':
      await store.truncateHistory(KEY, step.keep, write)
      break
    case 'summarize':
      if (positions.length === 0) break
      await store.summarize(KEY, {
        summary: step.text,
        through: positions[step.index % positions.length] as number,
        version,
      })
      break
    case 'summary':
      await store.setSummary(KEY, step.text)
      break
    case 'set': {
      const picked = step.order
        .filter(() => messages.length > 0)
        .map((index) => messages[index % messages.length] as Turn)
      const wanted = [...picked.slice(0, 6), ...step.extra, ...picked.slice(6)]
      await store.setHistory(KEY, wanted)
      expect(await store.getHistory(KEY)).toEqual(wanted)
      break
    }
    case 'replace':
      if (positions.length === 0) break
      await store.replaceFrom(KEY, positions[step.index % positions.length] as number, step.messages)
      break
    case 'restore': {
      const at = await someVersion(store, step.at)
      if (at === undefined) break
      const wanted = await store.getHistory(KEY, { at })
      await store.restore(KEY, { at })
      expect(await store.getHistory(KEY)).toEqual(wanted)
      break
    }
    case 'metadata':
      await store.setMetadata(KEY, { value: step.value })
      break
    case 'note':
      await store.note(KEY, 'number', step.value)
      break
    case 'compact':
      await store.compact(KEY)
      break
    case 'delete':
      await store.deleteSession(KEY)
      break
  }
}

/** A version that can be looked at: after the last compaction or deletion. */
async function someVersion(store: SessionStore<Turn>, number: number): Promise<number | undefined> {
  const { version } = await store.load(KEY)
  let least = 1
  for await (const event of store.events(KEY)) {
    if (event.type === 'Compacted' || event.type === 'SessionDeleted') least = event.seq
  }
  return version < least ? undefined : least + (number % (version - least + 1))
}

/** Everything about a state that callers can see or that the next operation depends on. */
function visible(state: SessionState<Turn>): object {
  const entries = Array.from({ length: state.length }, (_, index) => {
    const { position, at, bytes, of } = state.entries.at(index)
    return { position, at, bytes, of }
  })
  return {
    ...projectionOf(state),
    last: state.last,
    summary: state.summary,
    view: state.messages.slice(0, state.length),
    entries,
  }
}

/** Room for an outline or for a view of some 25 messages. */
const SMALL = 4200

/** Everything in memory; nothing, so that each addition is planned on an outline that is read for it; outlines that stay. */
const cache = fc.constantFrom(1_000_000, 0, SMALL)

test('loading by projection equals folding the whole log, whatever was done', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 25 }), cache, async (steps, viewCacheBytes) => {
      const backend = memoryBackend()
      const store = await openStore<Turn>({ backend, viewCacheBytes })
      const source = { backend, schema: EVENT_SCHEMA }
      for (const [index, step] of steps.entries()) {
        await run(store, step, `op-${index}`)
        const head = await backend.head(KEY)
        // An outline stays until somebody reads, so not after each step.
        if (head === undefined || (viewCacheBytes === SMALL && index % 8 !== 7)) continue
        const byProjection = await loadState<Turn>(source, KEY)
        const byLog = (await foldLog<Turn>(source, KEY, head)) as SessionState<Turn>
        expect(visible(byProjection)).toEqual(visible(byLog))
        expect(byProjection.messages.slice(0, byProjection.length)).toEqual(await store.getHistory(KEY))
      }
      expect((await store.verify()).problems).toEqual([])
      await store.close()
    }),
    options,
  )
})

test('compaction changes neither view, summary, metadata, times nor remembered operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (steps) => {
      const backend = memoryBackend()
      const store = await openStore<Turn>(backend)
      for (const [index, step] of steps.entries()) await run(store, step, `op-${index}`)
      const before = await store.load(KEY)
      await store.compact(KEY)
      const after = await store.load(KEY)
      const { version: _before, positions, ...same } = before
      const { version: _after, positions: moved, ...now } = after
      expect(now).toEqual(same)
      expect((await store.verify()).problems).toEqual([])
      // Of the messages in the log, all are in the view.
      for await (const event of store.events(KEY)) if ('message' in event) expect(moved).toContain(event.seq)
      // Whatever is done, it comes to rest.
      let again = 0
      while ((await store.compact(KEY)).eventsRemoved > 0) expect((again += 1)).toBeLessThan(4)
      expect((await store.load(KEY)).messages).toEqual(after.messages)
      // A position from before still names its message.
      if (positions.length > 0) {
        await store.truncateHistory(KEY, { before: positions.at(-1) as number }, { exact: true })
        expect((await store.load(KEY)).messages).toEqual(after.messages.slice(-1))
      }
      await store.close()
    }),
    options,
  )
})

test('every JSON value round-trips, in messages, notes and metadata', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 4 }),
      fc.string({ unit: 'binary', maxLength: 20 }),
      async (value, key) => {
        const backend = memoryBackend()
        const store = await openStore<{ role: string; [field: string]: unknown }>(backend)
        const given = { role: 'user', content: value, [`${key}_`]: value }
        await store.addMessage(KEY, given)
        await store.note(KEY, 'value', value)
        // -0 comes back as 0, as from JSON.
        expect(await store.getHistory(KEY)).toEqual([JSON.parse(JSON.stringify(given))])
        expect(JSON.stringify(await store.getHistory(KEY))).toBe(JSON.stringify([given]))
        await store.close()
      },
    ),
    options,
  )
})
