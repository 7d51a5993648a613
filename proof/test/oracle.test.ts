import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { Oracle } from '../src/model/oracle.ts'
import type { JournalRecord, Sight } from '../src/model/record.ts'

// An oracle that overlooks something makes every campaign worthless, so each kind of loss is shown to it here.
let directory: string
let oracle: Oracle
let lives: number

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnlog-proof-test-'))
  oracle = new Oracle()
  lives = 0
})
afterEach(() => rmSync(directory, { recursive: true }))

function live(...records: readonly JournalRecord[]): readonly string[] {
  const journal = join(directory, String(lives++))
  writeFileSync(journal, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return oracle.judge(journal).violations
}

const add = (n: number, ...ids: readonly string[]): JournalRecord => ({
  t: 'begin',
  key: 'k',
  n,
  op: { kind: 'add', ids },
})
const done = (n: number, version: number): JournalRecord => ({ t: 'done', key: 'k', n, version })
const saw = (
  sight: Partial<Sight>,
  log?: { first: number; last: number; added: [number, string][] },
): JournalRecord => ({
  t: 'saw',
  key: 'k',
  sight: { version: 0, summary: '', counter: 0, ids: [], ...sight },
  ...(log === undefined ? {} : { log: { contiguous: true, ...log } }),
})

describe('the oracle', () => {
  test('is content when everything acknowledged is there', () => {
    expect(live(add(0, 'a', 'b'), done(0, 2))).toEqual([])
    expect(live(saw({ version: 2, ids: ['a', 'b'] }))).toEqual([])
  })

  test('misses an acknowledged message', () => {
    live(add(0, 'a'), done(0, 1), add(1, 'b'), done(1, 2))
    expect(live(saw({ version: 1, ids: ['a'] }))).toHaveLength(1)
  })

  test('accepts a call that was not answered, as done or as not done', () => {
    live(add(0, 'a'), done(0, 1), add(1, 'b', 'c'))
    expect(live(saw({ version: 1, ids: ['a'] }))).toEqual([])
    live(add(2, 'd', 'e'))
    expect(live(saw({ version: 3, ids: ['a', 'd', 'e'] }))).toEqual([])
  })

  test('sees half a batch', () => {
    live(add(0, 'a'), done(0, 1), add(1, 'b', 'c'))
    expect(live(saw({ version: 2, ids: ['a', 'b'] }))).toHaveLength(1)
  })

  test('sees a later call of a burst without the earlier one', () => {
    live(add(0, 'a'), add(1, 'b'))
    expect(live(saw({ version: 1, ids: ['b'] }))).toHaveLength(1)
  })

  test('sees a message twice, an altered one and one that never was', () => {
    for (const ids of [['a', 'a'], ['altered(a)'], ['a', 'x']]) {
      oracle = new Oracle()
      live(add(0, 'a'), done(0, 1))
      expect(live(saw({ version: ids.length, ids }))).toHaveLength(1)
    }
  })

  test('sees a version that is not the acknowledged one', () => {
    live(add(0, 'a'), done(0, 1))
    expect(live(saw({ version: 2, ids: ['a'] }))).toHaveLength(1)
  })

  test('sees an acknowledged message that is in the view but not in the log', () => {
    live(add(0, 'a'), done(0, 1))
    expect(live(saw({ version: 1, ids: ['a'] }, { first: 1, last: 1, added: [] }))).toHaveLength(1)
  })

  test('sees a refused call that comes back after it was seen not to have happened', () => {
    live(
      add(0, 'a'),
      { t: 'failed', key: 'k', n: 0, code: 'IO', message: '' },
      saw({ version: 0, ids: [] }),
      add(1, 'b'),
      done(1, 1),
    )
    expect(live(saw({ version: 2, ids: ['a', 'b'] }))).toHaveLength(1)
  })

  test('sees errors without a type, problems of verify, and sessions missing from a listing', () => {
    expect(live(add(0, 'a'), { t: 'failed', key: 'k', n: 0, code: 'untyped', message: '' })).toHaveLength(1)
    expect(live({ t: 'verified', problems: ['bad'] })).toHaveLength(1)
    oracle = new Oracle()
    live(add(0, 'a'), done(0, 1))
    expect(live(saw({ version: 1, ids: ['a'] }), { t: 'listed', keys: [] })).toHaveLength(1)
    expect(live({ t: 'listed', keys: ['k', 'stranger'] })).toHaveLength(1)
  })

  test('follows cuts, summaries, replacements, restores and deletions', () => {
    const steps: [JournalRecord, JournalRecord, Partial<Sight>][] = [
      [add(0, 'a', 'b', 'c'), done(0, 3), { version: 3, ids: ['a', 'b', 'c'] }],
      [begin(1, { kind: 'keepLast', count: 2 }), done(1, 4), { version: 4, ids: ['b', 'c'] }],
      [begin(2, { kind: 'summarize', text: 's', through: 'b' }), done(2, 6), { version: 6, summary: 's', ids: ['c'] }],
      [begin(3, { kind: 'replaceFrom', id: 'c', ids: ['d'] }), done(3, 8), { version: 8, summary: 's', ids: ['d'] }],
      [begin(4, { kind: 'restore', at: 3 }), done(4, 10), { version: 10, ids: ['a', 'b', 'c'] }],
      [begin(5, { kind: 'history', ids: ['c', 'a'] }), done(5, 11), { version: 11, ids: ['c', 'a'] }],
      [begin(6, { kind: 'delete', erase: false, expire: false }), { t: 'done', key: 'k', n: 6 }, {}],
    ]
    for (const [call, answer, sight] of steps) expect(live(call, answer, saw(sight))).toEqual([])
  })

  describe('when calls that nobody answered are repeated with their id', () => {
    const first = (n: number, ...ids: readonly string[]): JournalRecord =>
      ({ ...add(n, ...ids), id: `op${n}` }) as JournalRecord
    const again = (n: number, ...ids: readonly string[]): JournalRecord =>
      ({ ...first(n, ...ids), again: n }) as JournalRecord

    test('hands them out until they are answered or something new is done', () => {
      live(first(0, 'a'), first(1, 'b'))
      expect(oracle.retries().map(({ id }) => id)).toEqual(['op0', 'op1'])
      live(again(0, 'a'))
      expect(oracle.retries().map(({ id }) => id)).toEqual(['op0', 'op1'])
      live(saw({ version: 1, ids: ['a'] }), add(2, 'c'), done(2, 2))
      expect(oracle.retries()).toEqual([])
    })

    test('does not hand out a call that has no id', () => {
      live(add(0, 'a'))
      expect(oracle.retries()).toEqual([])
    })

    test('is content when each is there once, whether or not it had happened', () => {
      for (const found of [[], ['a'], ['a', 'b']]) {
        oracle = new Oracle()
        live(first(0, 'a'), first(1, 'b'))
        const look = saw({ version: found.length, ids: found })
        expect(
          live(look, again(0, 'a'), again(1, 'b'), done(0, 1), done(1, 2), saw({ version: 2, ids: ['a', 'b'] })),
        ).toEqual([])
      }
    })

    test('sees one that was written twice, and one that was lost in spite of its answer', () => {
      for (const ids of [['a', 'a'], []]) {
        oracle = new Oracle()
        live(first(0, 'a'))
        expect(live(again(0, 'a'), done(0, 1), saw({ version: ids.length, ids }))).toHaveLength(1)
      }
    })

    test('sees an answer that is not the first one', () => {
      live(first(0, 'a'))
      expect(live(saw({ version: 1, ids: ['a'] }), again(0, 'a'), done(0, 2))).toHaveLength(1)
    })

    test('sees a repetition that is refused', () => {
      live(first(0, 'a'))
      expect(live(again(0, 'a'), { t: 'failed', key: 'k', n: 0, code: 'CONFLICT', message: '' })).toHaveLength(1)
    })
  })
})

function begin(n: number, op: Extract<JournalRecord, { t: 'begin' }>['op']): JournalRecord {
  return { t: 'begin', key: 'k', n, op }
}
