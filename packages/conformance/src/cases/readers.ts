import assert from 'node:assert/strict'

import type { Case } from '../context/case.ts'
import { withChild } from '../child/with-child.ts'
import { listKeys } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { rejects } from '../probe/rejects.ts'
import { secondOf } from '../probe/second-of.ts'

export const readerCases: readonly Case[] = [
  {
    id: 'readers.allowed',
    level: 'must',
    promise: 'A read-only open succeeds while a writer is open elsewhere, and sees what has been acknowledged.',
    prevents: 'A store cannot be inspected while its program runs.',
    requires: ['persistent', 'concurrentReaders', 'second', 'module'],
    async run(context) {
      const { backend, harness, random } = context
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      const reader = await secondOf(harness)
      await reader.open({ readOnly: true })
      await session.check(reader)
      await session.grow(backend, 2, { trimBefore: 3 })
      await session.check(reader)
      assert.deepEqual(await listKeys(reader), [session.key])
      await rejects('READ_ONLY', 'append by a reader', () =>
        reader.append(session.key, session.expected, session.next(1), null),
      )
      await withChild(context, async (child) => {
        await child.open({ readOnly: true })
        assert.deepEqual(await child.readAll(session.key), session.events)
        await session.grow(backend, 1)
        assert.deepEqual(await child.readAll(session.key), session.events)
      })
      await reader.close()
      await session.grow(backend, 1)
      await session.check(await harness.reopen())
    },
  },
  {
    id: 'readers.sessions-come-and-go',
    level: 'must',
    promise:
      'A reader sees sessions that were created after it was opened, and none that were erased since; here and in another process.',
    prevents: 'An inspection shows deleted conversations or misses new ones.',
    requires: ['persistent', 'concurrentReaders', 'second', 'module'],
    async run(context) {
      const { backend, harness, random } = context
      const old = new ExpectedSession(random, 'a')
      await old.grow(backend, 2)
      const reader = await secondOf(harness)
      await reader.open({ readOnly: true })
      await withChild(context, async (child) => {
        await child.open({ readOnly: true })
        const check = async (...sessions: readonly ExpectedSession[]): Promise<void> => {
          for (const session of sessions) {
            await session.check(reader)
            assert.deepEqual(await child.readAll(session.key), session.events)
            assert.equal((await child.head(session.key))?.last ?? 0, session.last)
          }
          const keys = sessions.filter(({ last }) => last > 0).map(({ key }) => key)
          assert.deepEqual(await listKeys(reader), keys)
          assert.deepEqual(await child.listKeys(), keys)
        }
        const young = new ExpectedSession(random, 'b')
        await check(old, young)
        await young.grow(backend, 2)
        await check(old, young)
        await backend.erase(old.key, old.last)
        await check(new ExpectedSession(random, 'a'), young)
        const anew = new ExpectedSession(random, 'a')
        await anew.grow(backend, 3)
        await check(anew, young)
      })
    },
  },
  {
    id: 'readers.leave-owner-protected',
    level: 'must',
    promise: 'Readers that come and go leave an exclusive owner protected.',
    prevents: 'An inspection opens the door for a second writer.',
    requires: ['persistent', 'concurrentReaders', 'second', 'module'],
    unless: ['shared'],
    async run(context) {
      const { backend, harness, random } = context
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      const reader = await secondOf(harness)
      await reader.open({ readOnly: true })
      await reader.close()
      await withChild(context, async (child) => {
        await rejects('LOCKED', 'a writer in another process', () => child.open())
        await child.open({ readOnly: true })
      })
      await session.grow(backend, 2)
      await session.check(await harness.reopen())
    },
  },
  {
    id: 'readers.refused',
    level: 'must',
    promise: 'Without concurrentReaders a read-only open is LOCKED while a writer is open, and leaves it protected.',
    prevents: 'A reader sees half-written data of a backend that cannot be read meanwhile.',
    requires: ['persistent', 'second', 'module'],
    unless: ['concurrentReaders'],
    async run(context) {
      const { backend, harness, random } = context
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      const reader = await secondOf(harness)
      await rejects('LOCKED', 'a read-only open', () => reader.open({ readOnly: true }))
      await withChild(context, async (child) => {
        await rejects('LOCKED', 'a read-only open in another process', () => child.open({ readOnly: true }))
        await rejects('LOCKED', 'an open in another process', () => child.open())
      })
      await session.grow(backend, 2)
      await session.check(await harness.reopen())
    },
  },
]
