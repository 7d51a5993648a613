import assert from 'node:assert/strict'
import { inspect } from 'node:util'

import type { AppendOptions } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvent } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'

export const refusalCases: readonly Case[] = [
  {
    id: 'append.refused.no-contents',
    level: 'must',
    promise:
      'What a refused call says, with its causes, contains nothing of the events or the projection, neither of the call nor of any session.',
    prevents: 'Private messages, of this user or of another one, end up in error logs.',
    async run({ backend, random }) {
      const [secret, stored, foreign] = [random.word(24), random.word(24), random.word(24)]
      const other = new ExpectedSession(random)
      await other.grow(backend, 3, { fields: { foreign }, projection: { foreign } })
      const session = new ExpectedSession(random)
      await session.grow(backend, 3, { fields: { stored }, projection: { stored } })
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
        await rejects('CONFLICT', 'a stale erase', () => backend.erase(session.key, 2)),
        await rejects('INVALID_ARGUMENT', 'an append without events', () => append(3, [])),
        await rejects('INVALID_ARGUMENT', 'an append with a gap', () => append(3, [4, 6])),
        await rejects('INVALID_ARGUMENT', 'a trim beyond the end', () => append(3, [4], { trimBefore: 9 })),
        await rejects('INVALID_ARGUMENT', 'a read from 0', () => readAll(backend, session.key, [{ from: 0, to: 3 }])),
      ]
      await backend.close()
      refusals.push(await rejects('CLOSED', 'an append to a closed store', () => append(3, [4])))
      await backend.open({ readOnly: true })
      refusals.push(await rejects('READ_ONLY', 'an append to a store that is read-only', () => append(3, [4])))
      for (const error of refusals) {
        const said = inspect(error, { depth: 10, showHidden: true })
        const leaked = Object.entries({ secret, stored, foreign }).flatMap(([name, text]) =>
          said.includes(text) ? [name] : [],
        )
        assert.deepEqual(leaked, [], `what ${error.code} says of the append, of its session and of another one`)
      }
    },
  },
]
