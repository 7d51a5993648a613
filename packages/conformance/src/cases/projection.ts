import assert from 'node:assert/strict'

import type { Json } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { listAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { hostileValues } from '../probe/hostile-values.ts'
import { rejects } from '../probe/rejects.ts'

export const projectionCases: readonly Case[] = [
  {
    id: 'projection.latest',
    level: 'must',
    promise: 'head and list give the projection of the last append, not of an earlier one and not merged with it.',
    prevents: 'Core resumes a conversation from an old state.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (const projection of [{ a: 1, b: 2 }, { b: 3 }, [1], 'text', {}] satisfies Json[]) {
        await session.grow(backend, 1, { projection })
        assert.deepEqual((await backend.head(session.key))?.projection, projection)
        assert.deepEqual(
          (await listAll(backend)).map((head) => head.projection),
          [projection],
        )
      }
    },
  },
  {
    id: 'projection.falsy',
    level: 'must',
    promise: 'A projection that is null, false, 0 or an empty text is kept as it is.',
    prevents: 'An empty state is taken for no state.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (const projection of [null, false, 0, '', {}, []] satisfies Json[]) {
        await session.grow(backend, 1, { projection: 'something' })
        await session.grow(backend, 1, { projection })
        assert.deepEqual((await backend.head(session.key))?.projection, projection)
      }
    },
  },
  {
    id: 'projection.every-value',
    level: 'must',
    promise: 'A projection may be any JSON value and comes back exactly.',
    prevents: 'The state of a conversation comes back changed.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (const { name, value } of hostileValues()) {
        await session.grow(backend, 1, { projection: value })
        const projection = (await backend.head(session.key))?.projection
        assert.deepEqual(projection, value, `projection: ${name}`)
        assert.equal(JSON.stringify(projection), JSON.stringify(value), `projection: ${name}`)
      }
    },
  },
  {
    id: 'projection.large',
    level: 'must',
    promise: 'A projection of a megabyte comes back exactly, in head and in list.',
    prevents: 'A long conversation cannot be resumed because its state was cut.',
    async run({ backend, harness, random, capabilities }) {
      const session = new ExpectedSession(random)
      const projection = { text: random.word(1024).repeat(1024), list: Array.from({ length: 1000 }, () => '€') }
      await session.grow(backend, 1, { projection })
      await session.check(backend)
      if (capabilities.persistent) await session.check(await harness.reopen())
    },
  },
  {
    id: 'projection.refused-append',
    level: 'must',
    promise: 'A refused append leaves the projection as it was.',
    prevents: 'The state of a conversation speaks of messages that were never stored.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2, { projection: 'kept' })
      await rejects('CONFLICT', 'a stale append', () =>
        backend.append(session.key, { ...session.expected, last: 1 }, session.next(1), 'lost'),
      )
      await rejects('INVALID_ARGUMENT', 'an append without events', () =>
        backend.append(session.key, session.expected, [], 'lost'),
      )
      assert.equal((await backend.head(session.key))?.projection, 'kept')
    },
  },
]
