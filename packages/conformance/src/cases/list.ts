import assert from 'node:assert/strict'

import { compareKeys } from '@turnlog/core/backend'
import type { Backend, ListRange } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { listAll, listKeys } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvents } from '../probe/make-events.ts'
import { openDescriptors } from '../probe/open-descriptors.ts'
import type { Random } from '../context/random.ts'

/** More than the 1,000 and 1,024 at which stores and databases like to end a page. */
const MANY = 1030
const THOUSANDS = 2000
/** How often sessions are erased and made while a list of them runs. */
const CHANGES = 12

const KEYS = [
  'a',
  'a!',
  'a/',
  'a/b',
  'a/b/c',
  'a0',
  'aa',
  'ab',
  'b',
  'A',
  'é',
  'e\u0301',
  'z',
  '\uffff',
  '😀',
  '\ue000',
  'user:1',
  'user:10',
  'user:2',
]

export const listCases: readonly Case[] = [
  {
    id: 'list.empty',
    level: 'must',
    promise: 'A list without sessions gives no batch.',
    prevents: 'A new store cannot be listed.',
    async run({ backend }) {
      for await (const batch of backend.list()) assert.fail(`a batch of ${batch.length}`)
      for await (const batch of backend.list({ prefix: 'a', after: 'b', limit: 3 }))
        assert.fail(`a batch of ${batch.length}`)
    },
  },
  {
    id: 'list.every-session-once',
    level: 'must',
    promise: 'list gives every session once, also those of which everything is trimmed.',
    prevents: 'A conversation is missing from the list or is shown twice.',
    async run({ backend, random }) {
      const keys = await fill(backend, random, KEYS)
      const trimmed = new ExpectedSession(random, 'trimmed')
      await trimmed.grow(backend, 2, { trimBefore: 3 })
      assert.deepEqual((await listKeys(backend)).sort(), [...keys, 'trimmed'].sort())
    },
  },
  {
    id: 'list.byte-order',
    level: 'must',
    promise: 'list is in the byte order of the UTF-8 keys, which is not the order of UTF-16.',
    prevents: 'Pages of a list overlap or leave conversations out.',
    async run({ backend, random }) {
      const keys = await fill(backend, random, KEYS)
      const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      assert.deepEqual(await listKeys(backend), byBytes)
    },
  },
  {
    id: 'list.batch.never-empty',
    level: 'must',
    promise: 'A batch of heads is never empty.',
    prevents: 'A reader takes an empty batch for the end of the list.',
    async run({ backend, random }) {
      await fill(backend, random, KEYS)
      const ranges: ListRange[] = [
        {},
        { prefix: 'nothing' },
        { after: '\u{10ffff}' },
        { limit: 0 },
        { prefix: 'a', limit: 2 },
      ]
      for (const range of ranges) {
        for await (const batch of backend.list(range))
          assert.ok(batch.length > 0, `list ${JSON.stringify(range)} gave an empty batch`)
      }
    },
  },
  {
    id: 'list.prefix',
    level: 'must',
    promise: 'prefix gives only the keys that begin with it, character by character, and it need not be a key itself.',
    prevents: 'The conversations of one user are listed for another one.',
    async run({ backend, random }) {
      const special = ['%', '_', '*', '?', '[', '[a]', '[^a]', '\\', '^', '$', '.', '(', "'", '"', '\u{10ffff}']
      const around = special.flatMap((text) => [text, `${text}x`, `a${text}`, `a${text}b`])
      await fill(backend, random, [...KEYS, ...around, 'axb', 'a%%', 'a\u{10ffff}\u{10ffff}'])
      const prefixes = ['', 'a', 'a/', 'a/b', 'A', 'user:', 'user:1', 'e', 'é', '\uffff', '😀', 'x']
      await compare(
        backend,
        [...prefixes, ...special, ...special.map((text) => `a${text}`)].map((prefix) => ({ prefix })),
      )
    },
  },
  {
    id: 'list.after',
    level: 'must',
    promise: 'after gives only the keys after it in byte order; it need not exist.',
    prevents: 'A page of a list begins in the wrong place.',
    async run({ backend, random }) {
      await fill(backend, random, KEYS)
      await compare(
        backend,
        [...KEYS, '', 'a.', 'user:11', '\u{10ffff}', ' '].map((after) => ({ after })),
      )
    },
  },
  {
    id: 'list.matrix',
    level: 'must',
    promise: 'prefix, after and limit, in all combinations, give what filtering an array gives.',
    prevents: 'Some combination of prefix, start and limit lists the wrong conversations.',
    async run({ backend, random }) {
      await fill(backend, random, KEYS)
      const ranges: ListRange[] = []
      for (const prefix of [undefined, '', 'a', 'a/', 'user:', '\uffff', 'zz']) {
        for (const after of [undefined, '', 'a', 'a/b', 'user:1', 'user:', '😀', 'b']) {
          for (const limit of [undefined, 0, 1, 3, 100]) {
            ranges.push({
              ...(prefix === undefined ? {} : { prefix }),
              ...(after === undefined ? {} : { after }),
              ...(limit === undefined ? {} : { limit }),
            })
          }
        }
      }
      await compare(backend, ranges)
    },
  },
  {
    id: 'list.paging',
    level: 'must',
    promise: 'Pages by after and limit, put together, are the whole list.',
    prevents: 'Paging through the list misses conversations or never ends.',
    async run({ backend, random, count }) {
      const keys = Array.from(
        { length: count(100) },
        () => `${random.pick(['a', 'b/', '😀', '\ue000'])}${random.word(6)}`,
      )
      await fill(backend, random, keys)
      for (const limit of [1, 7, 1000]) {
        const paged: string[] = []
        // Bounded, so that a backend that gives a page again and again fails instead of never ending.
        while (paged.length <= 2 * keys.length) {
          const after = paged.at(-1)
          const page = await listKeys(backend, after === undefined ? { limit } : { after, limit })
          if (page.length === 0) break
          paged.push(...page)
        }
        assert.deepEqual(paged, [...new Set(keys)].sort(compareKeys))
      }
    },
  },
  {
    id: 'list.thousand',
    level: 'must',
    promise: 'A list of more than a thousand sessions is whole, in one go and in pages.',
    prevents: 'A list ends at the first thousand conversations.',
    async run({ backend, random, count }) {
      const keys = Array.from({ length: count(MANY) }, (_, index) => `many-${String(index).padStart(6, '0')}`)
      await makeSmall(backend, random, keys)
      assert.deepEqual(await listKeys(backend), keys)
      const page = await listKeys(backend, { limit: MANY - 1 })
      assert.deepEqual(page, keys.slice(0, MANY - 1))
      assert.deepEqual(await listKeys(backend, { after: page.at(-1) ?? '' }), keys.slice(MANY - 1))
    },
  },
  {
    id: 'list.stable',
    level: 'must',
    promise: 'Sessions that come or go while a list runs may or may not be seen; all others are, once and in order.',
    prevents: 'A list misses conversations because others came or went.',
    async run({ backend, random, count }) {
      const staying = Array.from({ length: count(60) }, (_, index) => `stay-${String(index).padStart(4, '0')}`)
      const leaving = staying.map((key) => `${key}-leaves`)
      await fill(backend, random, [...staying, ...leaving])
      const seen: string[] = []
      let turn = 0
      for (let after: string | undefined; seen.length <= 4 * staying.length; after = seen.at(-1)) {
        const page = await listKeys(backend, after === undefined ? { limit: 7 } : { after, limit: 7 })
        seen.push(...page)
        if (page.length === 0) break
        for (let i = 0; i < 5 && turn < leaving.length; i++, turn++) {
          await backend.erase(leaving[turn] ?? '', 1)
          await new ExpectedSession(random, `${random.pick(staying)}-came-${turn}`).grow(backend, 1)
        }
      }
      check(seen)
      const streamed: string[] = []
      for await (const batch of backend.list()) {
        for (const { session } of batch) streamed.push(session)
        if (streamed.length > 4 * staying.length) break
        await new ExpectedSession(random, `stay-0000-late-${streamed.length}`).grow(backend, 1)
      }
      check(streamed)

      function check(listed: readonly string[]): void {
        assert.deepEqual(listed, [...new Set(listed)].sort(compareKeys), 'each once and in order')
        assert.deepEqual(
          listed.filter((key) => staying.includes(key)),
          staying,
        )
      }
    },
  },
  {
    id: 'list.thousands-come-and-go',
    level: 'must',
    promise:
      'While a list of thousands runs, sessions are erased and made before and behind it, again and again: those that stay are seen once and in order.',
    prevents: 'A backup or an export of a busy store misses conversations, or has them twice.',
    async run({ backend, random, count }) {
      const numbers = Array.from({ length: count(THOUSANDS) }, (_, index) => index)
      const keyOf = (index: number): string => `many-${String(index).padStart(6, '0')}`
      await makeSmall(backend, random, numbers.map(keyOf))
      const left = new Set(numbers)
      const seen: string[] = []
      let changes = 0
      for await (const batch of backend.list()) {
        seen.push(...batch.map(({ session }) => session))
        assert.ok(seen.length <= 2 * numbers.length, 'a list that never ends')
        if (seen.length < (changes * numbers.length) / CHANGES) continue
        changes++
        const leaving = [random.pick(numbers), random.pick(numbers)].filter((index) => left.delete(index))
        const coming = Array.from({ length: 3 }, (_, index) => `${keyOf(random.pick(numbers))}-${changes}-${index}`)
        await Promise.all([
          ...leaving.map((index) => backend.erase(keyOf(index), 1)),
          makeSmall(backend, random, coming),
        ])
      }
      assert.deepEqual(seen, [...new Set(seen)].sort(compareKeys), 'each once and in order')
      const listed = new Set(seen)
      const missing = [...left].map(keyOf).filter((key) => !listed.has(key))
      assert.deepEqual(missing, [], 'sessions that stayed and were not listed')
    },
  },
  {
    id: 'list.break.releases',
    level: 'must',
    promise: 'Leaving a list early releases everything.',
    prevents: 'A server that stops listing early runs out of files or memory.',
    async run({ backend, random, count }) {
      await fill(backend, random, KEYS)
      for await (const _batch of backend.list()) break
      const before = await openDescriptors()
      for (let i = 0; i < count(500); i++) {
        for await (const _batch of backend.list()) break
      }
      const after = await openDescriptors()
      assert.ok(after <= before + 8, `${before} open files before, ${after} after`)
      await backend.close()
    },
  },
]

async function fill(backend: Backend, random: Random, keys: readonly string[]): Promise<readonly string[]> {
  const distinct = [...new Set(keys)]
  for (const key of random.shuffle(distinct)) await new ExpectedSession(random, key).grow(backend, 1)
  return distinct
}

/** A session of one event under each key, many at once. */
async function makeSmall(backend: Backend, random: Random, keys: readonly string[]): Promise<void> {
  const events = makeEvents(random, 1, 1)
  for (let start = 0; start < keys.length; start += 200) {
    const some = keys.slice(start, start + 200)
    await Promise.all(some.map((key) => backend.append(key, { last: 0, incarnation: 'first' }, events, null)))
  }
}

async function compare(backend: Backend, ranges: readonly ListRange[]): Promise<void> {
  const all = (await listAll(backend)).map(({ session }) => session)
  for (const range of ranges) {
    const { prefix = '', after, limit } = range
    const expected = all.filter((key) => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0))
    assert.deepEqual(await listKeys(backend, range), expected.slice(0, limit), `list ${JSON.stringify(range)}`)
  }
}
