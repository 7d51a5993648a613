import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { ALL, listKeys, readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { growLong } from '../probe/grow-long.ts'
import { rejects } from '../probe/rejects.ts'
import { settled } from '../probe/settled.ts'
import type { Random } from '../context/random.ts'
import { Unproven } from '../context/unproven.ts'

/** What a close does to the calls that it does not wait for. */
export const callsInFlightCases: readonly Case[] = [
  {
    id: 'lifecycle.close.calls-in-flight',
    level: 'must',
    promise: 'close while head, read or list is under way: the call gives its answer or CLOSED, nothing else.',
    prevents: 'A call during close answers that a conversation does not exist.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 300)
      const calls: readonly ((key: string) => Promise<boolean>)[] = [
        async (key) => (await backend.head(key)) !== undefined,
        async (key) => (await readAll(backend, key)).length > 0,
        async (key) => (await listKeys(backend)).includes(key),
      ]
      for (let round = 0; round < count(3); round++) {
        // One at a time, each in a new incarnation: a call that has to wait for another would be slower than the close.
        for (const call of calls) {
          for (const key of [session.key, random.word(12)]) {
            const isThere = (await listKeys(backend)).includes(key)
            const answer = settled(call(key))
            await backend.close()
            await backend.open()
            const outcome = await answer
            let given: boolean
            try {
              given = outcome()
            } catch (error) {
              await rejects('CLOSED', 'a call during close', () => Promise.reject(error))
              continue
            }
            assert.equal(given, isThere)
          }
        }
      }
    },
  },
  {
    id: 'lifecycle.read.closed-meanwhile',
    level: 'must',
    promise: 'close does not wait for a running read; the next step of the read rejects with CLOSED.',
    prevents: 'A program cannot end because somebody left a read unfinished.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await growLong(session, backend, backend)
      const started = backend.read(session.key, ALL)[Symbol.asyncIterator]()
      const unstarted = backend.read(session.key, ALL)[Symbol.asyncIterator]()
      await started.next()
      await backend.close()
      await rejects('CLOSED', 'the first step of a read after close', () => unstarted.next())
      await rejects('CLOSED', 'the next step of a read after close', () => started.next())
    },
  },
  {
    id: 'lifecycle.read.step-in-flight',
    level: 'must',
    promise: 'close while a step of a read is under way: the step gives its batch or CLOSED, and both settle.',
    prevents: 'A program hangs at its end, or a read gives a part without an error.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 4000)
      const readers = Array.from({ length: 10 }, () => backend.read(session.key, ALL)[Symbol.asyncIterator]())
      const steps = readers.map((reader) => settled(reader.next()))
      await backend.close()
      for (const step of steps) {
        const outcome = await step
        try {
          const { value, done } = outcome()
          assert.ok(done === true || value.every(({ seq }, index) => seq === index + 1), 'a batch of the session')
        } catch (error) {
          await rejects('CLOSED', 'a step of a read during close', () => Promise.reject(error))
        }
      }
    },
  },
  {
    id: 'lifecycle.list.closed-meanwhile',
    level: 'must',
    promise: 'close does not wait for a running list; its next step rejects with CLOSED.',
    prevents: 'A program cannot end because somebody left a list unfinished.',
    async run({ backend, random }) {
      await fillLong(backend, random)
      const started = backend.list()[Symbol.asyncIterator]()
      const unstarted = backend.list()[Symbol.asyncIterator]()
      await started.next()
      await backend.close()
      await rejects('CLOSED', 'the first step of a list after close', () => unstarted.next())
      await rejects('CLOSED', 'the next step of a list after close', () => started.next())
    },
  },
  {
    id: 'lifecycle.read.belongs-to-its-opening',
    level: 'must',
    promise: 'A read that was begun before a close rejects with CLOSED also when the backend is open again.',
    prevents: 'A read goes on in a store that was closed, replaced and opened again.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await growLong(session, backend, backend)
      const reader = backend.read(session.key, ALL)[Symbol.asyncIterator]()
      await reader.next()
      await backend.close()
      await backend.open()
      await rejects('CLOSED', 'the next step of a read after close and open', () => reader.next())
    },
  },
  {
    id: 'lifecycle.list.belongs-to-its-opening',
    level: 'must',
    promise: 'A list that was begun before a close rejects with CLOSED also when the backend is open again.',
    prevents: 'A list goes on in a store that was closed, replaced and opened again.',
    async run({ backend, random }) {
      await fillLong(backend, random)
      const started = backend.list()[Symbol.asyncIterator]()
      await started.next()
      await backend.close()
      await backend.open()
      await rejects('CLOSED', 'the next step of a list after close and open', () => started.next())
    },
  },
]

/** Makes sessions until a list cannot give all of them in its first batch. */
async function fillLong(backend: Backend, random: Random): Promise<void> {
  let made = 0
  for (const wanted of [20, 300, 600, 1100, 4400]) {
    const fresh = Array.from({ length: wanted - made }, () => new ExpectedSession(random, random.word(16)))
    for (let start = 0; start < fresh.length; start += 200) {
      await Promise.all(fresh.slice(start, start + 200).map((session) => session.grow(backend, 1)))
    }
    made = wanted
    for await (const { length } of backend.list()) {
      if (length < made) return
      break
    }
  }
  throw new Unproven(`a list gives ${made} sessions in one batch: nothing can come between`)
}
