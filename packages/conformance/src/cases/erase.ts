import assert from 'node:assert/strict'

import { isStoreError } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { listKeys, readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { growLong } from '../probe/grow-long.ts'
import { makeEvents } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'
import { stepByStep } from '../probe/step-by-step.ts'

export const eraseCases: readonly Case[] = [
  {
    id: 'erase.removes',
    level: 'must',
    promise: 'An erased session is gone from head, read and list.',
    prevents: 'A conversation that was deleted is still shown.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const other = new ExpectedSession(random)
      await session.grow(backend, 5)
      await other.grow(backend, 2)
      await backend.erase(session.key, 5)
      assert.equal(await backend.head(session.key), undefined)
      assert.deepEqual(await readAll(backend, session.key), [])
      assert.deepEqual(await listKeys(backend), [other.key])
      await other.check(backend)
    },
  },
  {
    id: 'erase.compares',
    level: 'must',
    promise:
      'erase is CONFLICT, with `expected` and the true `actual`, unless the last seq is the expected one; nothing changes.',
    prevents: 'A message that nobody had read is deleted with the rest.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 5)
      for (const expectedLast of [0, 4, 6]) {
        const error = await rejects('CONFLICT', `erase at ${expectedLast} of a session at 5`, () =>
          backend.erase(session.key, expectedLast),
        )
        assert.deepEqual({ expected: error.expected, actual: error.actual }, { expected: expectedLast, actual: 5 })
      }
      await session.check(backend)
    },
  },
  {
    id: 'erase.missing',
    level: 'must',
    promise: 'Erasing what does not exist does nothing if 0 was expected and is CONFLICT with `actual` 0 otherwise.',
    prevents: 'Deleting twice fails, or a wrong deletion goes unnoticed.',
    async run({ backend, random }) {
      const other = new ExpectedSession(random)
      await other.grow(backend, 2)
      await backend.erase('nobody', 0)
      const error = await rejects('CONFLICT', 'erase at 3 of a session that does not exist', () =>
        backend.erase('nobody', 3),
      )
      assert.equal(error.actual, 0)
      assert.deepEqual(await listKeys(backend), [other.key])
    },
  },
  {
    id: 'erase.begins-anew',
    level: 'must',
    promise:
      'Used again after an erase, the session begins at 1 in a new incarnation, without anything of the old incarnation.',
    prevents: 'A new conversation inherits messages of a deleted one.',
    async run({ backend, random }) {
      const old = new ExpectedSession(random)
      await old.grow(backend, 9, { projection: 'old' })
      await old.grow(backend, 1, { trimBefore: 5 })
      await backend.erase(old.key, old.last)
      const anew = new ExpectedSession(random, old.key)
      await anew.grow(backend, 2)
      assert.equal((await backend.head(old.key))?.incarnation, anew.incarnation)
      await anew.check(backend)
    },
  },
  {
    id: 'erase.stale-incarnation',
    level: 'must',
    promise:
      'A writer that still holds the old incarnation gets CONFLICT, also if the new incarnation has come to the same version.',
    prevents: 'A late writer appends to the conversation that came after the deleted one.',
    async run({ backend, random }) {
      const old = new ExpectedSession(random)
      await old.grow(backend, 3)
      await backend.erase(old.key, 3)
      const gone = await rejects('CONFLICT', 'a stale append to an erased session', () =>
        backend.append(old.key, old.expected, old.next(1), null),
      )
      assert.equal(gone.actual, 0)
      const anew = new ExpectedSession(random, old.key)
      await anew.grow(backend, 3)
      const error = await rejects('CONFLICT', 'an append in the old incarnation', () =>
        backend.append(old.key, old.expected, old.next(1), null),
      )
      assert.deepEqual({ expected: error.expected, actual: error.actual }, { expected: 3, actual: 3 })
      await anew.check(backend)
    },
  },
  {
    id: 'erase.trimmed',
    level: 'must',
    promise: 'A session of which everything is trimmed is erased by its last seq like any other.',
    prevents: 'A conversation whose messages were all removed can never be deleted.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3, { trimBefore: 4 })
      await rejects('CONFLICT', 'erase at 0', () => backend.erase(session.key, 0))
      await backend.erase(session.key, 3)
      assert.equal(await backend.head(session.key), undefined)
      assert.deepEqual(await listKeys(backend), [])
    },
  },
  {
    id: 'erase.sessions-apart',
    level: 'must',
    promise: 'Erasing one session changes no other, not even one whose key begins with its key.',
    prevents: 'Deleting one conversation deletes others with a similar key.',
    async run({ backend, random }) {
      const sessions = ['s', 's1', 's10', 's/1', 's:', 'S'].map((key) => new ExpectedSession(random, key))
      for (const session of sessions) await session.grow(backend, 3)
      await backend.erase('s', 3)
      await backend.erase('s1', 3)
      for (const session of sessions.slice(2)) await session.check(backend)
      assert.deepEqual(await listKeys(backend), ['S', 's/1', 's10', 's:'])
    },
  },
  {
    id: 'erase.race',
    level: 'must',
    promise: 'An erase and an append that compete for one version: one of them wins, the other gets CONFLICT.',
    prevents: 'An append is acknowledged and deleted in the same moment.',
    async run({ backend, random, count }) {
      for (let round = 0; round < count(20); round++) {
        const session = new ExpectedSession(random)
        await session.grow(backend, 2)
        const append = (): Promise<void> =>
          backend.append(session.key, session.expected, makeEvents(random, 3, 1), null)
        const erase = (): Promise<void> => backend.erase(session.key, 2)
        const outcomes = await Promise.allSettled(round % 2 === 0 ? [append(), erase()] : [erase(), append()])
        const won = outcomes.filter(({ status }) => status === 'fulfilled').length
        assert.equal(won, 1, `of an append and an erase at one version exactly 1 wins, not ${won}`)
        const head = await backend.head(session.key)
        const appended = outcomes[round % 2 === 0 ? 0 : 1]?.status === 'fulfilled'
        assert.equal(head?.last, appended ? 3 : undefined)
      }
    },
  },
  {
    id: 'erase.running-reader',
    level: 'must',
    promise:
      'A reader that runs while its session is erased gets its snapshot or a StoreError, never a part without an error.',
    prevents: 'An export that meets a deletion is cut short without an error.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await growLong(session, backend, backend)
      const { last } = session
      const reading = stepByStep(backend, session.key, false, () => backend.erase(session.key, last))
      const seen = await reading.catch((error: unknown) => {
        if (!isStoreError(error)) throw error
      })
      assert.equal(seen?.length ?? last, last)
    },
  },
]
