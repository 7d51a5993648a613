import { inspect } from 'node:util'

import type { Range, ReadOptions } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { rejects } from '../probe/rejects.ts'

export const invalidReadCases: readonly Case[] = [
  {
    id: 'read.invalid.order',
    level: 'must',
    promise: 'Ranges that overlap or are not ascending are INVALID_ARGUMENT.',
    prevents: 'A mistake of the caller gives doubled messages instead of an error.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 9)
      const wrong: Range[][] = [
        [
          { from: 1, to: 3 },
          { from: 3, to: 5 },
        ],
        [
          { from: 1, to: 9 },
          { from: 4, to: 5 },
        ],
        [
          { from: 5, to: 6 },
          { from: 1, to: 2 },
        ],
        [
          { from: 1, to: 1 },
          { from: 1, to: 1 },
        ],
      ]
      for (const ranges of wrong) {
        for (const key of [session.key, 'nobody']) {
          await rejects('INVALID_ARGUMENT', `read ${JSON.stringify(ranges)}`, () => readAll(backend, key, ranges))
        }
      }
      await session.check(backend)
    },
  },
  {
    id: 'read.invalid.numbers',
    level: 'must',
    promise: 'A seq below 1, what is no whole number, and a negative limit are INVALID_ARGUMENT, for any session.',
    prevents: 'A mistake of the caller gives the wrong messages instead of an error.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 9)
      const wrong: readonly (readonly [Range, ReadOptions])[] = [
        [{ from: 0, to: 5 }, {}],
        [{ from: -3, to: 5 }, {}],
        [{ from: 1.5, to: 5 }, {}],
        [{ from: 1, to: 5.5 }, {}],
        [{ from: 1, to: Infinity }, {}],
        [{ from: 1, to: 5 }, { limit: -1 }],
        [{ from: 1, to: 5 }, { limit: 1.5 }],
      ]
      for (const [range, options] of wrong) {
        for (const key of [session.key, 'nobody']) {
          await rejects('INVALID_ARGUMENT', `read ${inspect({ ...range, ...options })}`, () =>
            readAll(backend, key, [range], options),
          )
        }
      }
      await session.check(backend)
    },
  },
]
