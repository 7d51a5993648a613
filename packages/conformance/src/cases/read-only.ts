import assert from 'node:assert/strict'
import { readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { isStoreError } from '@turnlog/core/backend'
import type { Case } from '../case.ts'
import { listKeys, readAll } from '../probe/collect.ts'
import { buildImage } from '../probe/damage.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { rejects } from '../probe/rejects.ts'

export const readOnlyCases: readonly Case[] = [
  {
    id: 'read-only.refuses-writes',
    level: 'must',
    promise: 'A backend that was opened read-only refuses every write with READ_ONLY.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 1)
      await backend.close()
      await backend.open({ readOnly: true })
      await rejects('READ_ONLY', 'append', () => backend.append(session.key, session.expected, session.next(1), null))
      await rejects('READ_ONLY', 'append of a new session', () =>
        backend.append('another', { last: 0, incarnation: 'life' }, new ExpectedSession(random).next(1), null),
      )
      await rejects('READ_ONLY', 'erase', () => backend.erase(session.key, session.last))
    },
  },
  {
    id: 'read-only.reads',
    level: 'must',
    promise: 'A backend that was opened read-only reads everything.',
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
    promise: 'A read-only open of a store with a torn tail leaves every file as it was, byte for byte.',
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
          if (!isStoreError(error)) throw error // to refuse a torn file is right as well
        }
        await backend.close()
        assert.deepEqual(await contents(directory), before, `the files, cut by ${cut} bytes and opened read-only`)
      }
    },
  },
  {
    id: 'read-only.then-writable',
    level: 'must',
    promise: 'Closed and opened without readOnly, it writes again.',
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

/** The contents of every file of the store, whether the target names it or not. */
async function contents(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const read = files.map(async (file) => [file, (await readFile(file)).toString('base64')] as const)
  return Object.fromEntries(await Promise.all(read))
}
