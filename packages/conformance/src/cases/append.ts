import assert from 'node:assert/strict'

import type { AppendOptions, EventRecord } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { listAll, listKeys, readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvent, makeEvents } from '../probe/make-events.ts'
import { rejects } from '../probe/rejects.ts'

export const appendCases: readonly Case[] = [
  {
    id: 'append.creates',
    level: 'must',
    promise: 'An append with expected.last 0 creates the session, which begins at seq 1.',
    prevents: 'The first message of a conversation cannot be stored, or gets the wrong number.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 1)
      assert.equal((await backend.head(session.key))?.first, 1)
      await session.check(backend)
    },
  },
  {
    id: 'append.continues',
    level: 'must',
    promise: 'Appends follow each other without gaps and events come back in the order of their seq.',
    prevents: 'Messages of a conversation are missing or in the wrong order.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < count(20); i++) await session.grow(backend, random.integer(1, 4))
      await session.check(backend)
    },
  },
  {
    id: 'append.visible',
    level: 'must',
    promise: 'What an append wrote is visible to every later head, read and list.',
    prevents: 'A program does not find the message that it has just stored.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < 5; i++) {
        await session.grow(backend, 2)
        assert.equal((await backend.head(session.key))?.last, session.last)
        assert.deepEqual(await readAll(backend, session.key), session.events)
        assert.deepEqual(
          (await listAll(backend)).map(({ session: key, last }) => ({ key, last })),
          [{ key: session.key, last: session.last }],
        )
      }
    },
  },
  {
    id: 'append.exact',
    level: 'must',
    promise: 'A record comes back exactly as given: all fields, in their order, with their values.',
    prevents: 'Fields of a message are lost, reordered or changed.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const event = { op: 'op-1', zebra: 1, apple: { z: 1, a: [{ y: 2, b: 3 }] }, ...makeEvent(random, 1), extra: [] }
      await session.append(backend, [event], { z: 1, a: 2 })
      const [stored] = await readAll(backend, session.key)
      assert.deepEqual(stored, event)
      assert.equal(JSON.stringify(stored), JSON.stringify(event))
      assert.equal(JSON.stringify((await backend.head(session.key))?.projection), '{"z":1,"a":2}')
    },
  },
  {
    id: 'append.resolves-undefined',
    level: 'must',
    promise: 'append and erase resolve without a value.',
    prevents: 'Callers come to rely on a value that only one backend gives.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const appended: unknown = await backend.append(session.key, session.expected, session.next(1), null)
      assert.equal(appended, undefined)
      const erased: unknown = await backend.erase(session.key, 1)
      assert.equal(erased, undefined)
    },
  },
  {
    id: 'append.sessions-apart',
    level: 'must',
    promise: 'An append to one session changes no other.',
    prevents: 'A message shows up in the conversation of somebody else.',
    async run({ backend, random }) {
      const sessions = Array.from({ length: 5 }, () => new ExpectedSession(random))
      for (let i = 0; i < 20; i++) await random.pick(sessions).grow(backend, random.integer(1, 3))
      for (const session of sessions) await session.check(backend)
    },
  },
  {
    id: 'append.stores-apart',
    level: 'must',
    promise: 'Two stores that are open at once share nothing, also where their sessions have the same keys.',
    prevents: 'Two stores in one program mix their conversations.',
    async run({ backend, createHarness, random }) {
      const { backend: another } = await createHarness()
      await another.open()
      const here = new ExpectedSession(random, 'same key')
      const there = new ExpectedSession(random, 'same key')
      await here.grow(backend, 3)
      await here.check(backend)
      await there.check(another)
      await there.grow(another, 2, { trimBefore: 2 })
      await there.check(another)
      await here.check(backend)
      await backend.erase(here.key, here.last)
      await there.check(another)
      assert.deepEqual(await listKeys(another), [there.key])
      assert.deepEqual(await listKeys(backend), [])
    },
  },
  {
    id: 'append.same-ids-again',
    level: 'must',
    promise: 'Event ids are opaque: an id that occurs twice, in one session or in two, is stored twice.',
    prevents: 'A message is dropped because another one has the same id.',
    async run({ backend, random }) {
      for (const session of [new ExpectedSession(random), new ExpectedSession(random)]) {
        await session.append(backend, [makeEvent(random, 1, { id: 'same' })], null)
        await session.append(
          backend,
          [makeEvent(random, 2, { id: 'same' }), makeEvent(random, 3, { id: 'same' })],
          null,
        )
        await session.check(backend)
      }
    },
  },
  {
    id: 'append.time-is-information',
    level: 'must',
    promise: 'Order is by seq alone: events whose `at` goes backwards keep their places.',
    prevents: 'A clock that is set back reorders a conversation.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.append(
        backend,
        [3000, 1000, 2000].map((at, index) => makeEvent(random, index + 1, { at })),
        null,
      )
      await session.append(backend, [makeEvent(random, 4, { at: 0 })], null)
      await session.check(backend)
    },
  },
  {
    id: 'append.batch.large',
    level: 'must',
    promise: 'An append of 11,000 events is one append, whatever limits on variables and packets a database has.',
    prevents: 'A long import fails, or is stored in part.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 11_000)
      await session.grow(backend, 1)
      await session.check(backend)
    },
  },
  ...invalidArguments(),
]

function invalidArguments(): Case[] {
  const invalid = (
    id: string,
    promise: string,
    prevents: string,
    make: (session: ExpectedSession, event: (seq: number) => EventRecord) => readonly EventRecord[],
    options?: (last: number) => AppendOptions,
  ): Case => ({
    id,
    level: 'must',
    promise,
    prevents,
    async run({ backend, random }) {
      for (const length of [0, 3]) {
        const session = new ExpectedSession(random)
        if (length > 0) await session.grow(backend, length)
        const events = make(session, (seq) => makeEvent(random, seq))
        await rejects('INVALID_ARGUMENT', `append to a session of ${length} events`, () =>
          backend.append(session.key, session.expected, events, 'must not be stored', options?.(session.last)),
        )
        await session.check(backend)
        await session.grow(backend, 1)
        await session.check(backend)
      }
    },
  })
  return [
    invalid(
      'append.invalid.empty',
      'An append without events is INVALID_ARGUMENT and changes nothing.',
      'An append that stores nothing is acknowledged as if it had.',
      () => [],
    ),
    invalid(
      'append.invalid.start-late',
      'Events that begin after expected.last + 1 are INVALID_ARGUMENT and nothing changes.',
      'A conversation gets a hole at its end.',
      ({ last }, event) => [event(last + 2)],
    ),
    invalid(
      'append.invalid.start-early',
      'Events that begin before expected.last + 1 are INVALID_ARGUMENT and nothing changes.',
      'A message overwrites one that is stored.',
      ({ last }, event) => [event(last), event(last + 1)],
    ),
    invalid(
      'append.invalid.gap',
      'A gap inside a batch is INVALID_ARGUMENT and nothing of the batch is stored.',
      'A conversation gets a hole in its middle.',
      ({ last }, event) => [event(last + 1), event(last + 3)],
    ),
    invalid(
      'append.invalid.repeat',
      'A seq that occurs twice in a batch is INVALID_ARGUMENT and nothing of the batch is stored.',
      'Two messages have the same number, and one of them is lost.',
      ({ last }, event) => [event(last + 1), event(last + 1)],
    ),
    invalid(
      'append.invalid.descending',
      'A batch that is not ascending is INVALID_ARGUMENT and nothing of it is stored.',
      'Messages are stored in the wrong order.',
      ({ last }, event) => [event(last + 2), event(last + 1)],
    ),
    invalid(
      'append.invalid.trim-beyond',
      'A trimBefore beyond the new end is INVALID_ARGUMENT and nothing changes.',
      'Messages that are yet to come are removed before they are stored.',
      ({ last }, event) => [event(last + 1), event(last + 2)],
      (last) => ({ trimBefore: last + 4 }),
    ),
    ...[0, -1, 1.5].map((trimBefore) =>
      invalid(
        `append.invalid.trim-below${trimBefore === 0 ? '' : trimBefore < 0 ? '.negative' : '.fraction'}`,
        `A trimBefore of ${trimBefore} is INVALID_ARGUMENT and nothing changes.`,
        'A mistake of the caller moves the beginning of a conversation to where no message can be.',
        ({ last }, event) => [event(last + 1), event(last + 2)],
        () => ({ trimBefore }),
      ),
    ),
    {
      id: 'append.invalid.rejects',
      level: 'must',
      promise: 'A refused append is a rejected promise, never an exception.',
      prevents: 'An exception escapes from code that only handles rejections, and ends the process.',
      async run({ backend, random }) {
        const attempts = [
          () => backend.append('a', { last: 0, incarnation: 'i' }, [], null),
          () => backend.append('a', { last: 7, incarnation: 'i' }, makeEvents(random, 8, 1), null),
          () => backend.erase('a', 7),
        ]
        for (const attempt of attempts) {
          const promise = attempt()
          assert.equal(typeof promise.then, 'function')
          await promise.then(
            () => assert.fail('resolved'),
            () => undefined,
          )
        }
      },
    },
  ]
}
