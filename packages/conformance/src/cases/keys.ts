import assert from 'node:assert/strict'

import { compareKeys } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { listKeys } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { HOSTILE_KEYS, randomKeys } from '../probe/hostile-keys.ts'

export const keyCases: readonly Case[] = [
  ...Object.entries(HOSTILE_KEYS).map(([name, keys]): Case => ({
    id: `keys.${name}`,
    level: 'must',
    promise: `Keys are compared byte by byte: these are sessions of their own, each with its own events (${name}).`,
    prevents: 'Two users share one history because their keys look alike to the storage.',
    async run({ backend, random, harness, capabilities }) {
      const sessions = keys.map((key) => new ExpectedSession(random, key))
      for (const session of sessions) await session.grow(backend, 1)
      for (const session of sessions) await session.grow(backend, random.integer(1, 3))
      for (const session of sessions) await session.check(backend)
      assert.deepEqual(await listKeys(backend), [...keys].sort(compareKeys))
      if (capabilities.persistent) {
        const reopened = await harness.reopen()
        for (const session of sessions) await session.check(reopened)
        assert.deepEqual(await listKeys(reopened), [...keys].sort(compareKeys))
      }
    },
  })),
  {
    id: 'keys.pairs',
    level: 'must',
    promise: 'Of ten thousand pairs of hostile keys no two share anything.',
    prevents: 'Two users share one history because their keys look alike to the storage.',
    async run({ backend, random, count }) {
      // n keys that are all there at once are n * (n - 1) / 2 pairs.
      const keys = randomKeys(random, count(150))
      assert.ok((keys.length * (keys.length - 1)) / 2 >= 10_000)
      const sessions = keys.map((key) => new ExpectedSession(random, key))
      for (const session of sessions) await session.grow(backend, 1)
      for (const session of random.shuffle(sessions)) await session.grow(backend, 1)
      for (const session of sessions) await session.checkUnlisted(backend)
      assert.deepEqual(await listKeys(backend), [...keys].sort(compareKeys))
      for (const [index, session] of sessions.entries()) if (index % 2 === 0) await backend.erase(session.key, 2)
      for (const [index, session] of sessions.entries()) if (index % 2 === 1) await session.checkUnlisted(backend)
    },
  },
]
