import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { operations } from '../probe/operations.ts'
import { rejects } from '../probe/rejects.ts'
import { settled } from '../probe/settled.ts'

async function allClosed(backend: Backend, when: string): Promise<void> {
  for (const { name, run } of operations(backend)) await rejects('CLOSED', `${name} ${when}`, run)
}

export const lifecycleCases: readonly Case[] = [
  {
    id: 'lifecycle.never-opened',
    level: 'must',
    promise: 'Before open every method but open and close rejects with CLOSED.',
    prevents: 'A program works on a store that was never opened and loses what it writes.',
    starts: 'closed',
    async run({ backend }) {
      await allClosed(backend, 'before open')
      await backend.close()
      await allClosed(backend, 'after close without open')
    },
  },
  {
    id: 'lifecycle.opening',
    level: 'must',
    promise: 'While open is under way every method but open and close rejects with CLOSED.',
    prevents: 'A write slips in before the store has been checked.',
    starts: 'closed',
    async run({ backend }) {
      // Rejections are looked at later: awaiting one would let the backend finish opening before the next is tried.
      const opening = backend.open()
      const attempts = operations(backend).map(({ name, run }) => ({ name, attempt: settled(run()) }))
      await opening
      for (const { name, attempt } of attempts)
        await rejects('CLOSED', `${name} during open`, async () => (await attempt)())
    },
  },
  {
    id: 'lifecycle.open.same-report',
    level: 'must',
    promise: 'open while it is open or opening gives the same report.',
    prevents: 'Two parts of a program that open one store are told different things.',
    starts: 'closed',
    async run({ backend }) {
      const [first, second] = await Promise.all([backend.open(), backend.open()])
      assert.deepEqual(second, first)
      assert.deepEqual(await backend.open(), first)
    },
  },
  {
    id: 'lifecycle.open.report',
    level: 'must',
    promise: 'The report of the first open says that there was no store before, and has no findings.',
    prevents: 'A new store is taken for one whose data is lost.',
    starts: 'closed',
    async run({ backend }) {
      assert.deepEqual(await backend.open(), { created: true, findings: [] })
    },
  },
  {
    id: 'lifecycle.closed',
    level: 'must',
    promise: 'After close every method but open and close rejects with CLOSED.',
    prevents: 'A write after the end of a program is acknowledged and lost.',
    async run({ backend, random }) {
      await new ExpectedSession(random).grow(backend, 2)
      await backend.close()
      await allClosed(backend, 'after close')
    },
  },
  {
    id: 'lifecycle.closing',
    level: 'must',
    promise: 'From the moment close is called every method but open and close rejects with CLOSED.',
    prevents: 'A write that slips in during close is lost.',
    async run({ backend, random }) {
      await new ExpectedSession(random).grow(backend, 2)
      const closing = backend.close()
      const attempts = operations(backend).map(({ name, run }) => ({ name, attempt: settled(run()) }))
      await closing
      for (const { name, attempt } of attempts)
        await rejects('CLOSED', `${name} during close`, async () => (await attempt)())
    },
  },
  {
    id: 'lifecycle.close.idempotent',
    level: 'must',
    promise: 'close may be called any number of times, at once or one after the other.',
    prevents: 'A program that closes twice fails at its end.',
    async run({ backend, random }) {
      await new ExpectedSession(random).grow(backend, 1)
      await Promise.all([backend.close(), backend.close(), backend.close()])
      await backend.close()
      await allClosed(backend, 'after several closes')
    },
  },
  {
    id: 'lifecycle.close.second-waits',
    level: 'must',
    promise: 'A second caller of close waits for the first: when it resolves, appends in flight are settled.',
    prevents: 'A program ends while its last messages are still being written.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      let settledAppends = 0
      const appends = [session, new ExpectedSession(random), new ExpectedSession(random)].map((one) =>
        one.grow(backend, 200).finally(() => settledAppends++),
      )
      const all = settled(Promise.all(appends))
      const first = backend.close()
      await backend.close()
      assert.equal(settledAppends, appends.length, 'appends that are settled when the second close resolves')
      await first
      ;(await all)()
    },
  },
  {
    id: 'lifecycle.close.waits-for-appends',
    level: 'must',
    promise: 'close waits for appends in flight, and they succeed.',
    prevents: 'The last messages before the end of a program are lost.',
    async run({ backend, random, count }) {
      const sessions = Array.from({ length: count(20) }, () => new ExpectedSession(random))
      let done = 0
      const appends = sessions.map((session) => session.grow(backend, 20).then(() => done++))
      const all = settled(Promise.all(appends))
      await backend.close()
      assert.equal(done, sessions.length, 'appends that are done when close resolves')
      ;(await all)()
    },
  },
  {
    id: 'lifecycle.close.during-open',
    level: 'must',
    promise: 'close while open is under way leaves the backend closed, and it can be opened again.',
    prevents: 'A program that is stopped while it starts keeps the store locked.',
    starts: 'closed',
    async run({ backend, random }) {
      const opening = backend.open().catch(() => undefined)
      await backend.close()
      await opening
      await allClosed(backend, 'after a close during open')
      await backend.open()
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await session.check(backend)
    },
  },
  {
    id: 'lifecycle.open.during-close',
    level: 'must',
    promise: 'open while close is under way waits for it and opens anew.',
    prevents: 'A program that restarts at once cannot open its store.',
    async run({ backend, random }) {
      const closing = backend.close()
      await backend.open()
      await closing
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await session.check(backend)
    },
  },
  {
    id: 'lifecycle.reopened',
    level: 'must',
    promise: 'A closed backend may be opened again, and then everything works.',
    prevents: 'A store that was closed for maintenance cannot be used again.',
    async run({ backend, random, count }) {
      for (let i = 0; i < count(5); i++) {
        await backend.close()
        await backend.open()
        const session = new ExpectedSession(random)
        await session.grow(backend, 2)
        await session.check(backend)
        await backend.erase(session.key, 2)
      }
    },
  },
]
