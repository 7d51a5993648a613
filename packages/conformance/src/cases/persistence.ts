import assert from 'node:assert/strict'

import type { Case } from '../context/case.ts'
import { listKeys, readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { hostileValues } from '../probe/hostile-values.ts'
import { makeEvents } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'
import { secondOf } from '../probe/second-of.ts'

export const persistenceCases: readonly Case[] = [
  {
    id: 'volatile.reopened-empty',
    level: 'must',
    promise: 'A backend that is not persistent is empty when it is opened again.',
    prevents: 'Tests that share a process see what other tests have left.',
    unless: ['persistent'],
    async run({ backend, harness, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      await backend.close()
      assert.equal((await backend.open()).created, true)
      assert.deepEqual(await listKeys(backend), [])
      assert.equal(await backend.head(session.key), undefined)
      await new ExpectedSession(random, session.key).grow(backend, 1)
      assert.deepEqual(await listKeys(await harness.reopen()), [])
    },
  },
  {
    id: 'persistent.reopen',
    level: 'must',
    promise: 'Everything that was appended is there when the storage is opened again, by a new backend object.',
    prevents: 'Conversations are lost at a restart.',
    requires: ['persistent'],
    async run({ backend, harness, random, count }) {
      const sessions = Array.from({ length: 10 }, () => new ExpectedSession(random))
      for (let i = 0; i < count(40); i++) await random.pick(sessions).grow(backend, random.integer(1, 5))
      const reopened = await harness.reopen()
      for (const session of sessions) await session.check(reopened)
    },
  },
  {
    id: 'persistent.same-object',
    level: 'must',
    promise: 'Everything is there when the same backend object is closed and opened again.',
    prevents: 'Conversations are lost when a store is closed and opened again.',
    requires: ['persistent'],
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < 5; i++) {
        await session.grow(backend, 3)
        await backend.close()
        await backend.open()
        await session.check(backend)
      }
    },
  },
  {
    id: 'persistent.created',
    level: 'must',
    promise: 'The report of an open says `created` only if there was no store before.',
    prevents: 'A program sets up its store again over the data that it has.',
    requires: ['persistent'],
    starts: 'closed',
    async run({ backend, random }) {
      assert.equal((await backend.open()).created, true)
      await backend.close()
      assert.equal((await backend.open()).created, false)
      await new ExpectedSession(random).grow(backend, 1)
      await backend.close()
      assert.deepEqual(await backend.open(), { created: false, findings: [] })
    },
  },
  {
    id: 'persistent.created.another-object',
    level: 'must',
    promise: 'A store that exists was created once: a new backend object over it does not say `created` again.',
    prevents: 'Another program sets up the store again over the data that it has.',
    requires: ['persistent', 'second'],
    starts: 'closed',
    async run({ backend, harness }) {
      assert.equal((await backend.open()).created, true)
      await backend.close()
      for (let i = 0; i < 2; i++) {
        const another = await secondOf(harness)
        assert.equal((await another.open()).created, false)
        await another.close()
      }
    },
  },
  {
    id: 'persistent.last-append',
    level: 'must',
    promise: 'The very last append before close is kept, whole.',
    prevents: 'The last message before a restart is lost.',
    requires: ['persistent'],
    async run({ backend, harness, random, count }) {
      const session = new ExpectedSession(random)
      let current = backend
      for (let i = 0; i < count(10); i++) {
        await session.grow(current, random.integer(1, 4))
        current = await harness.reopen()
        await session.check(current)
      }
    },
  },
  {
    id: 'persistent.in-flight',
    level: 'must',
    promise: 'Appends that were in flight when close was called are kept.',
    prevents: 'Messages that were being written at the end of a program are lost.',
    requires: ['persistent'],
    async run({ backend, harness, random, count }) {
      const sessions = Array.from({ length: count(20) }, () => new ExpectedSession(random))
      const appends = Promise.allSettled(sessions.map((session) => session.grow(backend, 5)))
      await backend.close()
      assert.deepEqual([...new Set((await appends).map(({ status }) => status))], ['fulfilled'])
      const reopened = await harness.reopen()
      for (const session of sessions) await session.check(reopened)
    },
  },
  {
    id: 'persistent.projection',
    level: 'must',
    promise: 'The projection of the last append is kept.',
    prevents: 'After a restart core resumes from an old state.',
    requires: ['persistent'],
    async run({ backend, harness, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 1, { projection: { version: 1 } })
      await session.grow(backend, 1, { projection: { version: 2, list: [null, ''] } })
      const reopened = await harness.reopen()
      assert.deepEqual((await reopened.head(session.key))?.projection, { version: 2, list: [null, ''] })
    },
  },
  {
    id: 'persistent.incarnation',
    level: 'must',
    promise: 'The incarnation is kept: after a reopen another one still conflicts.',
    prevents: 'After a restart a late writer gets into the wrong conversation.',
    requires: ['persistent'],
    async run({ backend, harness, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      const reopened = await harness.reopen()
      assert.equal((await reopened.head(session.key))?.incarnation, session.incarnation)
      await rejects('CONFLICT', 'an append in another incarnation after a reopen', () =>
        reopened.append(session.key, { last: 2, incarnation: 'another-incarnation' }, session.next(1), null),
      )
      await session.grow(reopened, 1)
      await session.check(reopened)
    },
  },
  {
    id: 'persistent.trim',
    level: 'must',
    promise:
      'The logical start is kept, also where everything is trimmed: what was trimmed stays gone, numbers are not reused.',
    prevents: 'Messages that were removed come back at a restart.',
    requires: ['persistent'],
    async run({ backend, harness, random }) {
      const some = new ExpectedSession(random)
      const all = new ExpectedSession(random)
      await some.grow(backend, 8)
      await some.grow(backend, 1, { trimBefore: 5 })
      await all.grow(backend, 8, { trimBefore: 9 })
      let reopened = await harness.reopen()
      await some.check(reopened)
      await all.check(reopened)
      await all.grow(reopened, 2)
      reopened = await harness.reopen()
      await all.check(reopened)
    },
  },
  {
    id: 'persistent.import',
    level: 'must',
    promise: 'An imported session keeps its numbers.',
    prevents: 'An imported conversation has other numbers after a restart.',
    requires: ['persistent'],
    async run({ backend, harness, random }) {
      const session = new ExpectedSession(random)
      await session.append(backend, makeEvents(random, 41, 3), null, { import: true })
      const reopened = await harness.reopen()
      await session.check(reopened)
      await session.grow(reopened, 1)
      await session.check(reopened)
    },
  },
  {
    id: 'persistent.erase',
    level: 'must',
    promise: 'What was erased stays gone, and a new incarnation stays the new incarnation.',
    prevents: 'A deleted conversation comes back at a restart.',
    requires: ['persistent'],
    async run({ backend, harness, random }) {
      const gone = new ExpectedSession(random)
      const old = new ExpectedSession(random)
      await gone.grow(backend, 6)
      await old.grow(backend, 6)
      await backend.erase(gone.key, 6)
      await backend.erase(old.key, 6)
      const anew = new ExpectedSession(random, old.key)
      await anew.grow(backend, 2)
      const reopened = await harness.reopen()
      assert.equal(await reopened.head(gone.key), undefined)
      assert.deepEqual(await readAll(reopened, gone.key), [])
      assert.deepEqual(await listKeys(reopened), [anew.key])
      await anew.check(reopened)
    },
  },
  {
    id: 'persistent.values',
    level: 'must',
    promise: 'Every JSON value survives a reopen exactly, in events and in the projection.',
    prevents: 'Messages are changed by a restart.',
    requires: ['persistent'],
    async run({ backend, harness, random }) {
      const session = new ExpectedSession(random)
      for (const { value } of hostileValues()) await session.grow(backend, 1, { fields: { value }, projection: value })
      const reopened = await harness.reopen()
      await session.check(reopened)
      assert.equal(JSON.stringify(await readAll(reopened, session.key)), JSON.stringify(session.events))
    },
  },
]
