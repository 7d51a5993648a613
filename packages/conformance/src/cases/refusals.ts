import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { AppendOptions } from '@turnlog/core/backend'
import type { Case } from '../case.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvent } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'

export const refusalCases: readonly Case[] = [
  {
    id: 'append.refused.no-contents',
    level: 'must',
    promise: 'What a refused append says, with its causes, contains nothing of the events or the projection.',
    prevents: 'Private messages, of this user or of another one, end up in error logs.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      const secret = random.word(24)
      const append = (last: number, seqs: readonly number[], options: AppendOptions = {}): Promise<void> =>
        backend.append(
          session.key,
          { last, incarnation: session.incarnation },
          seqs.map((seq) => makeEvent(random, seq, { secret })),
          { secret },
          options,
        )
      const refusals = [
        await rejects('CONFLICT', 'a stale append', () => append(1, [2])),
        await rejects('CONFLICT', 'an append ahead', () => append(7, [8])),
        await rejects('INVALID_ARGUMENT', 'an append without events', () => append(3, [])),
        await rejects('INVALID_ARGUMENT', 'an append with a gap', () => append(3, [4, 6])),
        await rejects('INVALID_ARGUMENT', 'a trim beyond the end', () => append(3, [4], { trimBefore: 9 })),
      ]
      await backend.close()
      await backend.open({ readOnly: true })
      refusals.push(await rejects('READ_ONLY', 'an append to a store that is read-only', () => append(3, [4])))
      for (const error of refusals) {
        assert.ok(!inspect(error, { depth: 10 }).includes(secret), `${error.code} says what was in the append`)
      }
    },
  },
]
