import assert from 'node:assert/strict'

import type { EventRecord, Range, ReadOptions } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { ALL, readAll, readSeqs } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import type { Random } from '../context/random.ts'

export const rangeCases: readonly Case[] = [
  {
    id: 'read.range.ends',
    level: 'must',
    promise: 'Both ends of a range belong to it.',
    prevents: 'The first or the last message of a view is missing.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 9)
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 3, to: 5 }]), [3, 4, 5])
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 4, to: 4 }]), [4])
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 9, to: 9 }]), [9])
    },
  },
  {
    id: 'read.range.beyond',
    level: 'must',
    promise: '`to` may lie beyond the last event, and a range may lie wholly outside: only what exists is read.',
    prevents: 'Reading to the end fails because nobody knows where it is.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 9)
      for (const to of [10, 1000, Number.MAX_SAFE_INTEGER]) {
        assert.deepEqual(await readSeqs(backend, session.key, [{ from: 8, to }]), [8, 9])
      }
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 10, to: 20 }]), [])
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 5, to: 4 }]), [])
      assert.deepEqual(await readSeqs(backend, session.key, []), [])
    },
  },
  {
    id: 'read.range.empty',
    level: 'must',
    promise: 'A range whose `to` lies before its `from` is empty, alone and among others.',
    prevents: 'An empty view is an error, or gives messages that nobody asked for.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 9)
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 5, to: 4 }]), [])
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 5, to: 1 }]), [])
      const among = [
        { from: 1, to: 2 },
        { from: 5, to: 4 },
        { from: 5, to: 6 },
      ]
      assert.deepEqual(await readSeqs(backend, session.key, among), [1, 2, 5, 6])
      assert.deepEqual(await readSeqs(backend, session.key, among, { reverse: true }), [6, 5, 2, 1])
    },
  },
  {
    id: 'read.range.matrix',
    level: 'must',
    promise: 'from, to, limit and reverse, in all combinations, give what a slice of an array gives.',
    prevents: 'Some combination of bounds, limit and direction gives the wrong messages.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 4)
      await session.grow(backend, 3, { trimBefore: 3 })
      for (let from = 1; from <= 9; from++) {
        for (let to = from - 1; to <= 9; to++) {
          for (const limit of [undefined, 0, 1, 2, 5, 100]) {
            for (const reverse of [false, true]) await compare(session, [{ from, to }], asOptions(limit, reverse))
          }
        }
      }

      async function compare(expected: ExpectedSession, ranges: readonly Range[], options: ReadOptions): Promise<void> {
        assert.deepEqual(
          await readAll(backend, expected.key, ranges, options),
          slice(expected, ranges, options),
          `read ${JSON.stringify({ ranges, ...options })}`,
        )
      }
    },
  },
  {
    id: 'read.ranges.several',
    level: 'must',
    promise: 'Several ranges in one read give their events in order, each once, under one limit over all of them.',
    prevents: 'A view that is made of several parts has doubled or missing messages.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 60)
      await session.grow(backend, 40, { trimBefore: 11 })
      for (let round = 0; round < count(100); round++) {
        const ranges = randomRanges(random, 110)
        const options = asOptions(random.pick([undefined, 0, 1, 7, 30, 200]), random.integer(0, 1) === 1)
        assert.deepEqual(
          await readAll(backend, session.key, ranges, options),
          slice(session, ranges, options),
          `read ${JSON.stringify({ ranges, ...options })}`,
        )
      }
    },
  },
  {
    id: 'read.ranges.long',
    level: 'must',
    promise: 'Ranges and limits of thousands of events, in both directions, give what a slice of an array gives.',
    prevents: 'Messages are missing where a long range meets the end of a batch.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 5000)
      await session.grow(backend, 1, { trimBefore: 101 })
      for (let round = 0; round < count(24); round++) {
        const ranges = randomRanges(random, 5100, 1500)
        const options = asOptions(random.pick([undefined, 900, 1100, 2100, 4100]), round % 2 === 0)
        const seqs = await readSeqs(backend, session.key, ranges, options)
        const expected = slice(session, ranges, options).map(({ seq }) => seq)
        const parted = expected.findIndex((seq, index) => seq !== seqs[index])
        assert.deepEqual(
          { count: seqs.length, parted },
          { count: expected.length, parted: -1 },
          `read ${JSON.stringify({ ranges, ...options })}: how many, and where the first wrong one is`,
        )
      }
    },
  },
  {
    id: 'read.ranges.many',
    level: 'must',
    promise: 'Five thousand ranges in one read are as good as one.',
    prevents: 'A view with many small parts cannot be read.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 10_000)
      const ranges = Array.from({ length: 5000 }, (_, index) => ({ from: 2 * index + 1, to: 2 * index + 1 }))
      const wanted = session.events.filter(({ seq }) => seq % 2 === 1)
      assert.deepEqual(await readAll(backend, session.key, ranges), wanted)
      const newest = await readSeqs(backend, session.key, ranges, { reverse: true, limit: 3 })
      assert.deepEqual(newest, [9999, 9997, 9995])
    },
  },
  {
    id: 'read.reverse',
    level: 'must',
    promise: 'reverse reads from the last event of the last range to the first of the first.',
    prevents: 'The newest messages come in the wrong order, or the oldest come instead.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 9)
      const ranges = [
        { from: 2, to: 3 },
        { from: 6, to: 8 },
      ]
      assert.deepEqual(await readSeqs(backend, session.key, ranges, { reverse: true }), [8, 7, 6, 3, 2])
      assert.deepEqual(await readSeqs(backend, session.key, ranges, { reverse: false }), [2, 3, 6, 7, 8])
      assert.deepEqual(await readSeqs(backend, session.key, ranges), [2, 3, 6, 7, 8])
    },
  },
  {
    id: 'read.limit',
    level: 'must',
    promise: 'limit is the most events over all ranges; without it there is no limit.',
    prevents: 'Asking for the last ten messages reads the whole conversation, or too few.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 1500)
      const ranges = [
        { from: 1, to: 2 },
        { from: 5, to: 1500 },
      ]
      assert.deepEqual(await readSeqs(backend, session.key, ranges, { limit: 3 }), [1, 2, 5])
      assert.deepEqual(await readSeqs(backend, session.key, ranges, { limit: 2, reverse: true }), [1500, 1499])
      assert.deepEqual(await readSeqs(backend, session.key, ranges, { limit: 0 }), [])
      assert.equal((await readSeqs(backend, session.key, ranges, { limit: 1300 })).length, 1300)
      assert.equal((await readSeqs(backend, session.key, ALL)).length, 1500)
    },
  },
  {
    id: 'read.range.adjacent',
    level: 'must',
    promise: 'Ranges that touch without overlapping are right.',
    prevents: 'Parts of a view that touch are refused, or their border is read twice.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 6)
      const ranges = [
        { from: 1, to: 2 },
        { from: 3, to: 3 },
        { from: 4, to: 9 },
      ]
      assert.deepEqual(await readSeqs(backend, session.key, ranges), [1, 2, 3, 4, 5, 6])
      assert.deepEqual(await readSeqs(backend, session.key, ranges, { reverse: true }), [6, 5, 4, 3, 2, 1])
    },
  },
]

function asOptions(limit: number | undefined, reverse: boolean): ReadOptions {
  return limit === undefined ? { reverse } : { reverse, limit }
}

/** What a read of an array would give. */
function slice(session: ExpectedSession, ranges: readonly Range[], { reverse, limit }: ReadOptions): EventRecord[] {
  const wanted = session.events.filter(({ seq }) => ranges.some(({ from, to }) => seq >= from && seq <= to))
  return (reverse === true ? wanted.reverse() : wanted).slice(0, limit)
}

function randomRanges(random: Random, end: number, longest = 15): Range[] {
  const ranges: Range[] = []
  for (let from = random.integer(1, 20); from <= end;) {
    const to = from + random.integer(0, longest)
    ranges.push({ from, to })
    from = to + random.integer(1, 20)
  }
  return ranges
}
