import * as fc from 'fast-check'
import { openStore } from '@turnlog/core'
import type { Message } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { normaliseMessage } from '../../src/normalise/normalise-message.ts'
import { matchHistory } from '../../src/plan/match-history.ts'
import { emptyState } from '../../src/view/session-state.ts'
import { runSeed } from '../seeded.ts'

const KEY = 'window'
const LONGEST = 200
const seed = runSeed('match history')

/** Texts from a template, which a sample of their characters cannot tell apart. */
function report(number: number): Message {
  const padded = String(number).padStart(6, '0')
  return { role: 'user', content: `Status report number ${padded}: everything is fine and there is nothing to do.` }
}

/** The places that matching finds, and how often it looked at a message of the view. */
function matched(view: readonly Message[], history: readonly Message[]): { matches: number[]; looks: number } {
  let looks = 0
  const seen = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks++
        return Reflect.get(object, key) as unknown
      },
    })
  const state = { ...emptyState<Message>(), messages: seen([...view]), length: view.length }
  const normal = history.map((message) => normaliseMessage<Message>(message, 'message', 1e6))
  return { matches: matchHistory(state, normal), looks }
}

test.each([1, 7, 8, 9, 100])('a window of look-alikes that moves by %i is found, in linear time', (step) => {
  const looks = [1000, 2000].map((length) => {
    const view = Array.from({ length }, (_, i) => report(i))
    const history = Array.from({ length }, (_, i) => report(i + step))
    const found = matched(view, history)
    expect(found.matches).toEqual(history.map((_, i) => (i + step < length ? i + step : -1)))
    return found.looks
  })
  expect(looks[0]).toBeLessThan(5 * 1000)
  expect(looks[1]).toBeLessThan(5 * 2000)
})

test('saving a window of look-alikes writes the message that is new and one view event', async () => {
  const store = await openStore(memoryBackend())
  let history = Array.from({ length: 300 }, (_, i) => report(i))
  let { version } = await store.setHistory(KEY, history)
  for (let number = 300; number < 303; number++) {
    history = [...history.slice(1), report(number)]
    const saved = await store.setHistory(KEY, history)
    expect(saved.version - version).toBe(2)
    version = saved.version
  }
  expect(await store.getHistory(KEY)).toEqual(history)
  await store.close()
})

test('one new message among any of those in the view, in their order, is all that is recorded', async () => {
  const texts = fc.oneof(
    fc.array(fc.nat(999).map(report), { minLength: LONGEST / 2, maxLength: LONGEST, size: 'max' }),
    fc.array(fc.constantFrom<Message>({ role: 'user', content: 'ping' }, { role: 'assistant', content: 'pong' })),
    fc.array(fc.record({ role: fc.constant('user'), content: fc.string({ maxLength: 3 }) })),
  )
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.array(fc.boolean(), { minLength: LONGEST, maxLength: LONGEST }),
      fc.nat(),
      async (view, kept, at) => {
        const store = await openStore(memoryBackend())
        const { version } = await store.setHistory(KEY, view)
        const rest = view.filter((_, i) => kept[i] ?? true)
        const place = at % (rest.length + 1)
        const history = [...rest.slice(0, place), report(1_000_000), ...rest.slice(place)]
        await store.setHistory(KEY, history)
        let recorded = 0
        for await (const event of store.events(KEY, { from: version + 1 })) {
          // What a rebase stores anew says where it was before.
          if ('message' in event && !('of' in event)) recorded++
        }
        expect(recorded).toBe(1)
        expect(await store.getHistory(KEY)).toEqual(history)
        await store.close()
      },
    ),
    { seed, numRuns: Number(process.env['RUNS'] ?? 200) },
  )
})
