import { StoreError } from '@turnlog/core/backend'
import type { EventRecord } from '@turnlog/core/backend'
import { expect, test } from 'vitest'

import { needsTail, planChange } from '../src/append/append-plan.ts'
import { encodeEvent, readRow } from '../src/format/event-row.ts'
import { GroupCommit } from '../src/append/group-commit.ts'
import { parseKey } from '../src/format/row-keys.ts'
import { SEGMENT_EVENTS } from '../src/format/segment.ts'
import { CachedSession } from '../src/cache/cached-session.ts'
import { tailOf } from '../src/format/tail.ts'
import type { CommitStore } from '../src/append/group-commit.ts'

import * as fc from 'fast-check'

const INCARNATION = 'life'

/** Rows in a map instead of LevelDB, written by group commit. */
class Rows {
  readonly of = new Map<string, Map<number, Buffer>>()
  failsNext = false
  readonly commit: GroupCommit
  #batch: (() => void)[] = []

  constructor() {
    const batch = {
      put: (key: Buffer, value: Buffer): void => {
        const copy = Buffer.from(value)
        this.#change(key, (rows, seq) => rows.set(seq, copy))
      },
      del: (key: Buffer): void => this.#change(key, (rows, seq) => expect(rows.delete(seq)).toBe(true)),
      logBytes: 0,
      write: async (): Promise<void> => {
        const changes = this.#batch.splice(0)
        await Promise.resolve()
        if (this.failsNext) {
          this.failsNext = false
          throw new Error('the disk is full')
        }
        for (const change of changes) change()
      },
    }
    const fence = {
      pass: () => undefined,
      closeAfter: (cause: unknown) => new StoreError('IO', 'It was not written.', { cause }),
    }
    const store = {
      database: { reusedBatch: () => batch },
      fence,
      acknowledged: { counter: { batches: 0, sessions: 0 } },
      watermark: { write: () => undefined },
      preallocation: undefined,
    }
    this.commit = new GroupCommit(store as unknown as CommitStore, true)
  }

  #change(key: Buffer, change: (rows: Map<number, Buffer>, seq: number) => unknown): void {
    const row = parseKey(Buffer.from(key))
    if (row?.kind !== 'event') return
    this.#batch.push(() => {
      const rows = this.of.get(row.name) ?? new Map<number, Buffer>()
      this.of.set(row.name, rows)
      change(rows, row.seq)
    })
  }
}

class PlannedSession {
  readonly events: EventRecord[] = []
  bytesReadBack = 0
  readonly #name: string
  readonly #rows: Rows
  readonly #state: CachedSession

  constructor(name: string, rows: Rows) {
    this.#name = name
    this.#rows = rows
    this.#state = new CachedSession(name, undefined)
  }

  /** Resolves when it is settled, either way. */
  append(texts: readonly string[], isGivenUp: boolean): Promise<void> {
    const state = this.#state
    const last = state.tip?.last ?? 0
    const events = texts.map((text, index) => ({
      seq: last + index + 1,
      id: `e${last + index + 1}`,
      type: 'MessageAdded',
      v: 1,
      at: 1,
      message: { role: 'user', content: `${this.#name} ${text}` },
    }))
    const rows = events.map(encodeEvent)
    if (needsTail(state, rows)) {
      if (state.pending > 0) return Promise.resolve() // it would wait
      this.#readTail()
    }
    const { change, tail } = planChange(state, { last, incarnation: INCARNATION }, events, rows, {}, undefined)
    if (isGivenUp) return Promise.resolve()
    state.tail = tail
    state.fillsSegments ||= tail !== undefined
    return this.#rows.commit.add(change).then(
      () => void this.events.push(...events),
      () => undefined,
    )
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
        const value = this.#rows.of.get(this.#name)?.get(seq) as Buffer
        readRow(this.#name, keys, value, seq)
        this.bytesReadBack += value.length
        return { seq, json: value[1] === 1, value }
      }),
    )
  }

  /** What a reader finds, with the number of events in each row. */
  read(): { readonly events: readonly EventRecord[]; readonly counts: readonly number[] } {
    const { keys } = this.#state
    const rows = [...(this.#rows.of.get(this.#name) ?? [])]
    const found = rows.sort(([a], [b]) => a - b).map(([seq, value]) => readRow(this.#name, keys, value, seq))
    return { events: found.flat(), counts: found.map(({ length }) => length) }
  }
}

const NAMES = ['session-a', 'session-b', 'session-c'] as const
const text = fc.oneof(
  { weight: 12, arbitrary: fc.string({ maxLength: 200 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1000, max: 40_000 }).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.integer({ min: 65_000, max: 67_000 }).map((length) => 'y'.repeat(length)) },
  { weight: 2, arbitrary: fc.constant('\ud800 has to be JSON') },
)
const step = fc.record({
  session: fc.constantFrom(...NAMES),
  does: fc.oneof(
    { weight: 8, arbitrary: fc.array(text, { minLength: 1, maxLength: 3, size: 'max' }) },
    { weight: 3, arbitrary: fc.array(text, { minLength: 20, maxLength: 90, size: 'max' }) },
    { weight: 1, arbitrary: fc.constant('forget the tail' as const) },
    { weight: 3, arbitrary: fc.constant('wait for all' as const) },
    { weight: 1, arbitrary: fc.constant('fail the next batch' as const) },
  ),
  isGivenUp: fc.boolean(),
})

test('whatever is appended, given up, failed and forgotten, each row holds acknowledged events of its session, each once, at most 64', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
      const rows = new Rows()
      const sessions = new Map(NAMES.map((name) => [name, new PlannedSession(name, rows)]))
      let waiting: Promise<void>[] = []
      for (const { session: name, does, isGivenUp } of steps) {
        const session = sessions.get(name) as PlannedSession
        if (does === 'forget the tail') session.forgetTail()
        else if (does === 'fail the next batch') rows.failsNext = true
        else if (does === 'wait for all') {
          await Promise.all(waiting)
          waiting = []
        } else waiting.push(session.append(does, isGivenUp))
      }
      await Promise.all(waiting)
      for (const session of sessions.values()) {
        const { events, counts } = session.read()
        expect(events).toEqual(session.events)
        expect(Math.max(0, ...counts)).toBeLessThanOrEqual(SEGMENT_EVENTS)
      }
      for (const [name, values] of rows.of) {
        for (const other of NAMES.filter((each) => each !== name)) {
          expect([...values.values()].some((value) => value.includes(other))).toBe(false)
        }
      }
    }),
    { numRuns: 150 },
  )
})

test('large events behind a small one, whose tail is not in memory, are never read back', async () => {
  const rows = new Rows()
  const session = new PlannedSession('session', rows)
  await session.append(['small'], false)
  session.forgetTail()
  for (let count = 0; count < 2 * SEGMENT_EVENTS; count++) await session.append(['y'.repeat(70_000)], false)
  expect(session.bytesReadBack).toBeLessThan(1000)
  const { events, counts } = session.read()
  expect(events).toEqual(session.events)
  expect(Math.max(...counts)).toBe(1)
})
