import * as fc from 'fast-check'
import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { EVENT_SCHEMA } from '../../src/events/upcast.ts'
import { foldLog, loadState } from '../../src/view/load-state.ts'
import { projectionOf } from '../../src/view/projection.ts'
import type { SessionState } from '../../src/view/session-state.ts'
import { runSeed } from '../seeded.ts'
import type { Turn } from './random-operations.ts'
import { KEY, operation, run } from './random-operations.ts'

const seed = runSeed('store properties')
const options = { seed, numRuns: Number(process.env['RUNS'] ?? 200) }

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
      while ((await store.compact(KEY)).eventsRemoved > 0) expect(++again).toBeLessThan(4)
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
