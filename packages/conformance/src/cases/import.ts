import assert from 'node:assert/strict'

import type { Case } from '../context/case.ts'
import { readSeqs } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvents } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'

export const importCases: readonly Case[] = [
  {
    id: 'import.begins-later',
    level: 'must',
    promise: 'An import begins a session at the seq of its first event, whatever that is.',
    prevents: 'A conversation that was exported without its beginning cannot be imported.',
    async run({ backend, random }) {
      for (const start of [1, 2, 41, 2 ** 32, 2 ** 40, 2 ** 48, 2 ** 53 - 10]) {
        const session = new ExpectedSession(random)
        await session.append(backend, makeEvents(random, start, 3, { at: 1 }), 'imported', { import: true })
        assert.equal((await backend.head(session.key))?.first, start)
        await session.append(backend, makeEvents(random, start + 3, 2, { at: 1 }), 'continued')
        await session.check(backend)
        assert.deepEqual(await readSeqs(backend, session.key, [{ from: start + 1, to: start + 3 }]), [
          start + 1,
          start + 2,
          start + 3,
        ])
      }
    },
  },
  {
    id: 'import.continues',
    level: 'must',
    promise: 'An imported session goes on like any other: append, trim, compare.',
    prevents: 'An imported conversation cannot be continued.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.append(backend, makeEvents(random, 41, 3), null, { import: true })
      await session.grow(backend, 2)
      await session.grow(backend, 2, { trimBefore: 43 })
      assert.deepEqual(await readSeqs(backend, session.key), [43, 44, 45, 46, 47])
      const error = await rejects('CONFLICT', 'a stale append', () =>
        backend.append(session.key, { ...session.expected, last: 45 }, makeEvents(random, 46, 1), null),
      )
      assert.equal(error.actual, 47)
      await session.check(backend)
    },
  },
  {
    id: 'import.exists',
    level: 'must',
    promise:
      'An import is refused if the session exists: CONFLICT when it expected none, INVALID_ARGUMENT when it expected one.',
    prevents: 'An import overwrites a conversation that is there.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      const events = makeEvents(random, 41, 1)
      const error = await rejects('CONFLICT', 'an import that expects no session', () =>
        backend.append(session.key, { ...session.expected, last: 0 }, events, null, { import: true }),
      )
      assert.equal(error.actual, 2)
      await rejects('INVALID_ARGUMENT', 'an import that expects a session', () =>
        backend.append(session.key, session.expected, events, null, { import: true }),
      )
      await session.check(backend)
    },
  },
  {
    id: 'import.invalid',
    level: 'must',
    promise: 'An import needs events without gaps, from seq 1 on at the earliest.',
    prevents: 'A damaged export is imported with holes.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const wrong = [
        [],
        makeEvents(random, 0, 2),
        makeEvents(random, -3, 1),
        [...makeEvents(random, 41, 1), ...makeEvents(random, 43, 1)],
      ]
      for (const events of wrong) {
        await rejects('INVALID_ARGUMENT', `an import of seqs ${JSON.stringify(events.map(({ seq }) => seq))}`, () =>
          backend.append(session.key, session.expected, events, null, { import: true }),
        )
      }
      await session.check(backend)
    },
  },
  {
    id: 'import.only-when-asked',
    level: 'must',
    promise: 'Without `import` a new session begins at 1 and nowhere else.',
    prevents: 'A mistaken number leaves a hole at the beginning of a conversation.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (const options of [undefined, {}, { import: false }]) {
        await rejects('INVALID_ARGUMENT', 'an append that begins at 41', () =>
          backend.append(session.key, session.expected, makeEvents(random, 41, 1), null, options),
        )
      }
      await session.check(backend)
    },
  },
  {
    id: 'import.trims',
    level: 'must',
    promise: 'An import may trim events of its own.',
    prevents: 'An import brings back messages that it was told to leave out.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.append(backend, makeEvents(random, 41, 5), null, { import: true, trimBefore: 44 })
      await session.check(backend)
      await session.grow(backend, 1)
      await session.check(backend)
    },
  },
]
