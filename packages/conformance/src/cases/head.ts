import assert from 'node:assert/strict'

import type { Case } from '../context/case.ts'
import { listAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { makeEvents } from '../probe/make-events.ts'

export const headCases: readonly Case[] = [
  {
    id: 'head.unknown',
    level: 'must',
    promise: 'head of a session that does not exist is undefined.',
    prevents: 'A conversation that never was is taken for one that is empty.',
    async run({ backend, random }) {
      assert.equal(await backend.head('nobody'), undefined)
      await new ExpectedSession(random).grow(backend, 1)
      assert.equal(await backend.head('nobody'), undefined)
    },
  },
  {
    id: 'head.fields',
    level: 'must',
    promise: 'head gives first, last, incarnation and projection as the last append left them.',
    prevents: 'Core works with wrong bounds and refuses or loses messages.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < 4; i++) {
        await session.grow(backend, 3, i === 2 ? { trimBefore: 4 } : {})
        const { first, last, incarnation, projection } = session
        const { bytes: _bytes, ...head } = (await backend.head(session.key)) ?? { bytes: 0 }
        assert.deepEqual(head, { first, last, incarnation, projection })
      }
    },
  },
  {
    id: 'head.bytes',
    level: 'must',
    promise: 'bytes is a whole number, never 0 while there are events to read.',
    prevents: 'Limits by size never take effect.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < 4; i++) {
        await session.grow(backend, 2, i === 3 ? { trimBefore: 8 } : {})
        const bytes = (await backend.head(session.key))?.bytes ?? 0
        assert.ok(Number.isSafeInteger(bytes) && bytes > 0, `bytes is ${bytes} for ${session.events.length} events`)
      }
    },
  },
  {
    id: 'head.bytes.grows',
    level: 'must',
    promise: 'bytes grows with the events that can be read.',
    prevents: 'A conversation grows without end although its size is limited.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 1)
      const small = (await backend.head(session.key))?.bytes ?? 0
      await session.grow(backend, 500)
      const large = (await backend.head(session.key))?.bytes ?? 0
      assert.ok(large > small, `1 event takes ${small} bytes, 501 events take ${large}`)
    },
  },
  {
    id: 'head.bytes.falls',
    level: 'must',
    promise: 'bytes falls when events are trimmed.',
    prevents: 'Trimming goes on and on because it never seems to help.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 500)
      const large = (await backend.head(session.key))?.bytes ?? 0
      await session.grow(backend, 1, { trimBefore: 501 })
      const small = (await backend.head(session.key))?.bytes ?? 0
      assert.ok(small < large / 2, `500 events take ${large} bytes, 1 event that is left of 501 takes ${small}`)
    },
  },
  {
    id: 'head.bytes.import',
    level: 'must',
    promise: 'bytes counts what was imported as well, and falls when it is trimmed.',
    prevents: 'Limits by size never take effect on a conversation that was imported.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.append(backend, makeEvents(random, 41, 500), null, { import: true })
      const large = (await backend.head(session.key))?.bytes ?? 0
      await session.grow(backend, 1, { trimBefore: 541 })
      const small = (await backend.head(session.key))?.bytes ?? 0
      assert.ok(
        small > 0 && small < large / 2,
        `500 imported events take ${large} bytes, 1 event that is left ${small}`,
      )
    },
  },
  {
    id: 'head.equals-list',
    level: 'must',
    promise: 'list gives the same head as head does.',
    prevents: 'A list shows another state of a conversation than opening it does.',
    async run({ backend, random }) {
      const sessions = Array.from({ length: 5 }, () => new ExpectedSession(random))
      for (const session of sessions) {
        await session.grow(backend, random.integer(1, 9))
        await session.grow(backend, 2, { trimBefore: random.integer(1, session.last) })
      }
      const listed = await listAll(backend)
      assert.equal(listed.length, sessions.length)
      for (const { session, ...head } of listed) assert.deepEqual(head, await backend.head(session))
    },
  },
]
