import type { EventRecord } from '@turnlog/core/backend'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { needsTail, planChange } from '../src/append-plan.ts'
import { encodeEvent, readRow } from '../src/event-row.ts'
import { SEGMENT_EVENTS } from '../src/seal-plan.ts'
import { SessionState } from '../src/session-state.ts'
import { tailOf } from '../src/tail.ts'

const INCARNATION = 'life'

/** One session whose rows are in a map instead of LevelDB. */
class PlannedSession {
  readonly events: EventRecord[] = []
  readonly #state = new SessionState('s', undefined)
  readonly #rows = new Map<number, Buffer>()

  append(texts: readonly string[], isGivenUp: boolean): void {
    const state = this.#state
    const last = state.tip?.last ?? 0
    if (needsTail(state, texts.length)) this.#readTail()
    const events = texts.map((text, index) => ({
      seq: last + index + 1,
      id: `e${last + index + 1}`,
      type: 'MessageAdded',
      v: 1,
      at: 1,
      message: { role: 'user', content: text },
    }))
    const rows = events.map(encodeEvent)
    const { change, tail } = planChange(state, { last, incarnation: INCARNATION }, events, rows, {}, undefined)
    if (isGivenUp) return
    for (const { seq, value } of change.puts) this.#rows.set(seq, Buffer.from(value))
    for (const seq of change.deletes) expect(this.#rows.delete(seq)).toBe(true)
    this.events.push(...events)
    state.tip = change.after
    state.settled = change.after
    state.tail = tail
    state.fillsSegments ||= tail !== undefined
  }

  /** As when other sessions need the memory. */
  forgetTail(): void {
    this.#state.tail = undefined
  }

  #readTail(): void {
    const { settled, keys } = this.#state
    const { sealed = 0, last = 0 } = settled ?? {}
    const seqs = Array.from({ length: last - sealed }, (_, index) => sealed + 1 + index)
    this.#state.tail = tailOf(
      seqs.map((seq) => {
        const value = this.#rows.get(seq) as Buffer
        readRow('s', keys, value, seq)
        return { seq, json: value[1] === 1, value }
      }),
    )
  }

  /** What a reader finds, with the number of events in each row. */
  read(): { readonly events: readonly EventRecord[]; readonly counts: readonly number[] } {
    const { keys } = this.#state
    const found = [...this.#rows.keys()]
      .sort((a, b) => a - b)
      .map((seq) => readRow('s', keys, this.#rows.get(seq) as Buffer, seq))
    return { events: found.flat(), counts: found.map(({ length }) => length) }
  }
}

const text = fc.oneof(
  { weight: 12, arbitrary: fc.string({ maxLength: 200 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1000, max: 40_000 }).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.integer({ min: 65_000, max: 67_000 }).map((length) => 'y'.repeat(length)) },
  { weight: 2, arbitrary: fc.constant('\ud800 has to be JSON') },
)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      texts: fc.array(text, { minLength: 1, maxLength: 3, size: 'max' }),
      isGivenUp: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      texts: fc.array(text, { minLength: 20, maxLength: 90, size: 'max' }),
      isGivenUp: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant('forget the tail' as const) },
)

test('whatever is appended, given up and forgotten, the rows hold all events once, in segments of at most 64', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), (steps) => {
      const session = new PlannedSession()
      for (const each of steps) {
        if (each === 'forget the tail') session.forgetTail()
        else session.append(each.texts, each.isGivenUp)
      }
      const { events, counts } = session.read()
      expect(events).toEqual(session.events)
      expect(Math.max(0, ...counts)).toBeLessThanOrEqual(SEGMENT_EVENTS)
    }),
    { numRuns: 100 },
  )
})
