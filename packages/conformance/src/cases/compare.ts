import assert from 'node:assert/strict'

import { isStoreError } from '@turnlog/core/backend'
import type { Backend, StoreError } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { compete } from '../child/compete.ts'
import { readAll } from '../probe/collect.ts'
import { checkCompetition } from '../probe/check-competition.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvents } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'

export const compareCases: readonly Case[] = [
  {
    id: 'append.conflict.stale',
    level: 'must',
    promise:
      'An append that expects an older version is CONFLICT, with `expected` and the true `actual`; nothing changes.',
    prevents: 'A writer with an old view overwrites what another one has stored.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await session.grow(backend, 3)
      for (const last of [1, 2, 4]) await conflict(backend, session, last)
      await session.check(backend)
    },
  },
  {
    id: 'append.conflict.ahead',
    level: 'must',
    promise: 'An append that expects a later version is CONFLICT, with the true `actual`; nothing changes.',
    prevents: 'A conversation gets a hole that can never be filled.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      for (const last of [3, 10]) await conflict(backend, session, last)
      await session.check(backend)
    },
  },
  {
    id: 'append.conflict.exists',
    level: 'must',
    promise: 'An append that expects no session (last 0) is CONFLICT if there is one.',
    prevents: 'A new conversation replaces one that is there already.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await conflict(backend, session, 0)
      await conflict(backend, session, 0, 'another-incarnation')
      await session.check(backend)
    },
  },
  {
    id: 'append.conflict.missing',
    level: 'must',
    promise: 'An append that expects a version of a session that does not exist is CONFLICT with `actual` 0.',
    prevents: 'An append to an erased conversation brings a part of it back.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await conflict(backend, session, 3)
      assert.equal(await backend.head(session.key), undefined)
      await session.check(backend)
    },
  },
  {
    id: 'append.conflict.incarnation',
    level: 'must',
    promise: 'An append in another incarnation is CONFLICT, also at the right version.',
    prevents: 'A late writer appends to another conversation that has taken the same key.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await conflict(backend, session, 2, 'another-incarnation')
      await session.check(backend)
    },
  },
  {
    id: 'append.conflict.incarnation.exact',
    level: 'must',
    promise:
      'An incarnation is compared and given back exactly: case, blanks, composition and length make another one.',
    prevents: 'Two incarnations that look alike to the storage are taken for one.',
    async run({ backend, harness, random, capabilities }) {
      const long = 'l'.repeat(199)
      const sessions = [
        ['incarnation-a', 'incarnation-A'],
        ['incarnation', 'incarnation '],
        [' incarnation', 'incarnation'],
        ['l\u00e9ben', 'le\u0301ben'],
        ['incarnation-\ufb01', 'incarnation-fi'],
        ['10', '010'],
        [`${long}a`, `${long}b`],
      ].map(([own, other]) => ({ session: new ExpectedSession(random, undefined, own), other: other ?? '' }))
      for (const { session } of sessions) await session.grow(backend, 2)
      const check = async (on: Backend): Promise<void> => {
        for (const { session, other } of sessions) {
          await conflict(on, session, 2, other)
          await session.check(on)
        }
      }
      await check(backend)
      if (capabilities.persistent) await check(await harness.reopen())
    },
  },
  {
    id: 'append.conflict.before-arguments',
    level: 'should',
    promise: 'A stale writer is told CONFLICT even if its events cannot be right any more.',
    prevents: 'A writer that only has to read again is told that its program is wrong.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      await rejects('CONFLICT', 'a stale append whose trimBefore is beyond its end', () =>
        backend.append(session.key, { ...session.expected, last: 1 }, makeEvents(random, 2, 1), null, {
          trimBefore: 9,
        }),
      )
      await session.check(backend)
    },
  },
  {
    id: 'append.race.one-wins',
    level: 'must',
    promise:
      'Among concurrent appends with one expected version exactly one wins; the others get CONFLICT with the true `actual`.',
    prevents: 'Two answers are stored for one turn, or one of them is lost.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 1)
      for (let round = 0; round < count(10); round++) await race(backend, session, random.integer(2, 20))
      await session.check(backend)
    },
  },
  {
    id: 'append.race.one-creates',
    level: 'must',
    promise: 'Among concurrent creators of one session exactly one wins; the others get CONFLICT.',
    prevents: 'Two conversations begin under one key and are mixed.',
    async run({ backend, random, count }) {
      for (let round = 0; round < count(10); round++) {
        const session = new ExpectedSession(random)
        await race(backend, session, random.integer(2, 20))
        await session.check(backend)
      }
    },
  },
  {
    id: 'append.race.retry',
    level: 'must',
    promise:
      'Writers that read again and retry after a CONFLICT lose nothing, double nothing and keep their own order.',
    prevents: 'Messages are lost or doubled when several callers write at once.',
    async run({ backend, random, count }) {
      const key = `session-${random.word(8)}`
      const each = count(8)
      const writers = ['ada', 'ben', 'eve', 'kim', 'leo']
      await Promise.all(writers.map((writer) => compete(backend, key, writer, each)))
      const events = await readAll(backend, key)
      checkCompetition(events, writers, each)
    },
  },
  {
    id: 'append.race.sessions-in-parallel',
    level: 'must',
    promise: 'Concurrent appends to different sessions all win.',
    prevents: 'One busy conversation makes writes to others fail.',
    async run({ backend, random, count }) {
      const sessions = Array.from({ length: count(30) }, () => new ExpectedSession(random))
      for (let round = 0; round < 3; round++) await Promise.all(sessions.map((session) => session.grow(backend, 2)))
      for (const session of sessions) await session.check(backend)
    },
  },
]

async function conflict(backend: Backend, session: ExpectedSession, last: number, incarnation?: string): Promise<void> {
  const expected = { last, incarnation: incarnation ?? session.incarnation }
  const error = await rejects('CONFLICT', `append at version ${last} of a session at ${session.last}`, () =>
    backend.append(
      session.key,
      expected,
      [{ seq: last + 1, id: 'x', type: 'MessageAdded', v: 1, at: 1 }],
      'must not be stored',
    ),
  )
  assert.deepEqual({ expected: error.expected, actual: error.actual }, { expected: last, actual: session.last })
}

/** Lets `count` appends of different lengths compete, and takes note of the winner. */
async function race(backend: Backend, session: ExpectedSession, count: number): Promise<void> {
  const { expected } = session
  const attempts = Array.from({ length: count }, (_, index) => session.next(1 + (index % 3), { contender: index }))
  const outcomes = await Promise.allSettled(
    attempts.map((events, index) => backend.append(session.key, expected, events, { winner: index })),
  )
  const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
  assert.equal(
    winners.length,
    1,
    `of ${count} concurrent appends with one expected version exactly 1 wins, not ${winners.length}`,
  )
  const winner = winners[0] as number
  session.accept(attempts[winner] ?? [], { winner })
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    const error = outcome.reason as StoreError
    if (!isStoreError(error, 'CONFLICT')) throw error
    assert.deepEqual(
      { expected: error.expected, actual: error.actual },
      { expected: expected.last, actual: session.last },
    )
  }
}
