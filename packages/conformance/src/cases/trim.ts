import assert from 'node:assert/strict'

import type { Case } from '../context/case.ts'
import { readSeqs } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvents } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'

export const trimCases: readonly Case[] = [
  {
    id: 'trim.moves-start',
    level: 'must',
    promise: 'trimBefore is the logical start after the append: events before it are gone for every later read.',
    prevents: 'Messages that were removed come back.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 5)
      await session.grow(backend, 2, { trimBefore: 4 })
      assert.deepEqual(await readSeqs(backend, session.key), [4, 5, 6, 7])
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 1, to: 4 }]), [4])
      assert.equal((await backend.head(session.key))?.first, 4)
      await session.check(backend)
    },
  },
  {
    id: 'trim.monotone',
    level: 'must',
    promise: 'A trimBefore at or below the present start changes nothing: the start never moves back.',
    prevents: 'Messages that were removed come back after a later append.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 8)
      await session.grow(backend, 1, { trimBefore: 6 })
      for (const trimBefore of [1, 5, 6]) {
        await session.grow(backend, 1, { trimBefore })
        assert.equal((await backend.head(session.key))?.first, 6)
        await session.check(backend)
      }
    },
  },
  {
    id: 'trim.everything',
    level: 'must',
    promise:
      'trimBefore may be one more than the last new seq: nothing is left to read, first is last + 1, the session exists.',
    prevents: 'A conversation vanishes or cannot go on when all its messages are removed.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      await session.grow(backend, 2, { trimBefore: 6 })
      assert.deepEqual(await readSeqs(backend, session.key), [])
      const head = await backend.head(session.key)
      assert.deepEqual({ first: head?.first, last: head?.last }, { first: 6, last: 5 })
      await session.check(backend)
    },
  },
  {
    id: 'trim.never-reuses',
    level: 'must',
    promise: 'Numbers are never reused: after everything was trimmed the session goes on at last + 1.',
    prevents: 'Two messages of one conversation have the same number.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      await session.grow(backend, 1, { trimBefore: 5 })
      await rejects('CONFLICT', 'a new beginning of a session that is trimmed, not erased', () =>
        backend.append(
          session.key,
          { last: 0, incarnation: session.incarnation },
          new ExpectedSession(random).next(1),
          null,
        ),
      )
      await session.grow(backend, 2)
      assert.deepEqual(await readSeqs(backend, session.key), [5, 6])
      await session.check(backend)
    },
  },
  {
    id: 'trim.own-events',
    level: 'must',
    promise: 'An append may trim events of its own.',
    prevents: 'A rewritten history keeps what it was meant to replace.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 5, { trimBefore: 4 })
      await session.check(backend)
      await session.grow(backend, 5, { trimBefore: 10 })
      await session.check(backend)
    },
  },
  {
    id: 'trim.refused-append',
    level: 'must',
    promise: 'An append that is refused does not trim.',
    prevents: 'Messages are removed by a write that failed.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 5)
      await rejects('CONFLICT', 'a stale append that trims', () =>
        backend.append(session.key, { ...session.expected, last: 4 }, makeEvents(random, 5, 1), null, {
          trimBefore: 4,
        }),
      )
      await rejects('CONFLICT', 'an append in another incarnation that trims', () =>
        backend.append(session.key, { last: 5, incarnation: 'another-incarnation' }, session.next(1), null, {
          trimBefore: 4,
        }),
      )
      await rejects('INVALID_ARGUMENT', 'an append without events that trims', () =>
        backend.append(session.key, session.expected, [], null, { trimBefore: 4 }),
      )
      await session.check(backend)
    },
  },
  {
    id: 'trim.often',
    level: 'must',
    promise: 'A session that is trimmed again and again stays right.',
    prevents: 'A conversation that is shortened again and again loses messages in the end.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      for (let round = 0; round < count(40); round++) {
        const grown = random.integer(1, 5)
        const trims = random.integer(0, 2) === 0 && session.last > 0
        await session.grow(
          backend,
          grown,
          trims ? { trimBefore: random.integer(session.first, session.last + grown + 1) } : {},
        )
        await session.check(backend)
      }
    },
  },
  {
    id: 'trim.sessions-apart',
    level: 'must',
    promise: 'Trimming one session changes no other, not even one whose key begins with its key.',
    prevents: 'Shortening one conversation removes messages of another one.',
    async run({ backend, random }) {
      const sessions = ['s', 's1', 's10', 's/1', 'S'].map((key) => new ExpectedSession(random, key))
      for (const session of sessions) await session.grow(backend, 6)
      await sessions[1]?.grow(backend, 1, { trimBefore: 8 })
      await sessions[0]?.grow(backend, 1, { trimBefore: 4 })
      for (const session of sessions) await session.check(backend)
    },
  },
]
