import assert, { AssertionError } from 'node:assert/strict'
import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'

import { isStoreError } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { withChild } from '../child/with-child.ts'
import { listKeys, readAll } from '../probe/collect.ts'
import { contents } from '../probe/contents.ts'
import { buildImage } from '../probe/damage.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { rejects } from '../probe/rejects.ts'
import { secondOf } from '../probe/second-of.ts'

const KILLS = 3

export const readOnlyCases: readonly Case[] = [
  {
    id: 'read-only.refuses-writes',
    level: 'must',
    promise: 'A backend that was opened read-only refuses every write with READ_ONLY.',
    prevents: 'A tool that was only to look at a store changes it.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 1)
      await backend.close()
      await backend.open({ readOnly: true })
      await rejects('READ_ONLY', 'append', () => backend.append(session.key, session.expected, session.next(1), null))
      await rejects('READ_ONLY', 'append of a new session', () =>
        backend.append('another', { last: 0, incarnation: 'incarnation' }, new ExpectedSession(random).next(1), null),
      )
      await rejects('READ_ONLY', 'erase', () => backend.erase(session.key, session.last))
    },
  },
  {
    id: 'read-only.reads',
    level: 'must',
    promise: 'A backend that was opened read-only reads everything.',
    prevents: 'A store on a medium that cannot be written cannot be read.',
    requires: ['persistent'],
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 5)
      await session.grow(backend, 2, { trimBefore: 3 })
      await backend.close()
      const report = await backend.open({ readOnly: true })
      assert.equal(report.created, false)
      await session.check(backend)
      assert.deepEqual(await listKeys(backend), [session.key])
    },
  },
  {
    id: 'read-only.changes-nothing',
    level: 'must',
    promise: 'A read-only open, its reads and its close change nothing on the storage.',
    prevents: 'Looking at a store changes evidence, or disturbs its owner.',
    requires: ['persistent', 'files'],
    async run({ backend, random, directory }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < 5; i++) await session.grow(backend, 5)
      await backend.close()
      const before = await contents(directory)
      await backend.open({ readOnly: true })
      await session.check(backend)
      await rejects('READ_ONLY', 'erase', () => backend.erase(session.key, session.last))
      await backend.close()
      assert.deepEqual(await contents(directory), before)
    },
  },
  {
    id: 'read-only.leaves-damage',
    level: 'must',
    promise:
      'A read-only open of a store with a torn tail reads it or refuses it with a StoreError, and leaves every file as it was, byte for byte.',
    prevents: 'Looking at a damaged store destroys what a repair could have saved.',
    requires: ['persistent', 'files'],
    async run(context) {
      const { backend, directory } = context
      const image = await buildImage(context)
      for (const cut of [1, 9, 40]) {
        for (const { path, size, isLatest } of image.files) {
          if (isLatest) await truncate(join(directory, path), Math.max(0, size - cut))
        }
        const before = await contents(directory)
        try {
          await backend.open({ readOnly: true })
          for (const { key } of image.sessions) await readAll(backend, key)
        } catch (error) {
          // To refuse a torn file is right as well, but as such.
          if (!isStoreError(error)) {
            throw new AssertionError({
              message: `a read-only open, and reads, of files that were cut by ${cut} bytes`,
              expected: 'events, or a StoreError',
              actual: error,
            })
          }
        }
        await backend.close()
        assert.deepEqual(await contents(directory), before, `the files, cut by ${cut} bytes and opened read-only`)
      }
    },
  },
  {
    id: 'read-only.after-kill',
    level: 'must',
    promise:
      'A read-only open after its writer was killed while it wrote reads the store or refuses it with a StoreError, and leaves every file as it was.',
    prevents: 'Looking at a store after a crash removes what tells how far its writer had come.',
    requires: ['persistent', 'files', 'module'],
    starts: 'closed',
    async run(context) {
      const { backend, directory, random, count } = context
      for (let cycle = 0; cycle < count(KILLS); cycle++) {
        await withChild(context, async (child) => {
          await child.open()
          await child.churn('churned', 1, context.seed + cycle)
          child.churn('churned', Number.MAX_SAFE_INTEGER, context.seed + cycle).catch(() => undefined) // it ends with the child
          const delayMs = 5 + random.next() * 20
          await new Promise((resolve) => setTimeout(resolve, delayMs))
        })
        const before = await contents(directory)
        try {
          await backend.open({ readOnly: true })
          await readAll(backend, 'churned')
          await listKeys(backend)
        } catch (error) {
          if (!isStoreError(error)) throw error
        }
        await backend.close()
        assert.deepEqual(await contents(directory), before, 'the files after a crash, opened read-only')
      }
    },
  },
  {
    id: 'read-only.no-store',
    level: 'must',
    promise: 'A read-only open where there is no store is NOT_FOUND, and makes none.',
    prevents: 'A mistyped path makes a new, empty store.',
    requires: ['persistent', 'second', 'files'],
    async run({ harness, root }) {
      const path = join(root, 'no-store')
      for (let i = 0; i < 2; i++) {
        const reader = await secondOf(harness, path)
        await rejects('NOT_FOUND', 'a read-only open where there is no store', () => reader.open({ readOnly: true }))
      }
      assert.deepEqual(
        (await readdir(root)).filter((name) => name === 'no-store'),
        [],
        'what a read-only open has made',
      )
    },
  },
  {
    id: 'read-only.empty-place',
    level: 'must',
    promise: 'A read-only open of an empty place is NOT_FOUND or finds a store without sessions; it leaves it empty.',
    prevents: 'Looking at an empty folder turns it into a store.',
    requires: ['persistent'],
    starts: 'closed',
    async run({ backend, directory }) {
      try {
        assert.equal((await backend.open({ readOnly: true })).created, false)
        assert.deepEqual(await listKeys(backend), [])
      } catch (error) {
        if (!isStoreError(error, 'NOT_FOUND')) throw error
      }
      await backend.close()
      assert.deepEqual(await contents(directory), {}, 'files that a read-only open has made')
      assert.equal((await backend.open()).created, true)
    },
  },
  {
    id: 'read-only.maintenance',
    level: 'must',
    promise: 'A backend that was opened read-only verifies and measures, and refuses to reclaim with READ_ONLY.',
    prevents: 'An inspection rewrites the store.',
    requires: ['maintenance', 'persistent'],
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 5)
      await session.grow(backend, 1, { trimBefore: 5 })
      await backend.close()
      await backend.open({ readOnly: true })
      await rejects('READ_ONLY', 'reclaim', async () => backend.maintenance?.reclaim())
      assert.deepEqual((await backend.maintenance?.verify())?.problems, [])
      assert.ok(((await backend.maintenance?.sizes())?.bytes ?? 0) > 0, 'sizes tells the bytes of the store')
      await session.check(backend)
    },
  },
  {
    id: 'read-only.then-writable',
    level: 'must',
    promise: 'Closed and opened without readOnly, it writes again.',
    prevents: 'A store that was looked at once can never be written again.',
    async run({ backend, random, capabilities }) {
      const kept = new ExpectedSession(random)
      await kept.grow(backend, 2)
      await backend.close()
      await backend.open({ readOnly: true })
      await backend.close()
      await backend.open()
      if (capabilities.persistent) await kept.check(backend)
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await session.check(backend)
    },
  },
]
