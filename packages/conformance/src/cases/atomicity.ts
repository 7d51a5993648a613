import assert from 'node:assert/strict'

import { isStoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'

import type { Case, CaseContext } from '../context/case.ts'
import { besideWrite } from '../probe/beside-write.ts'
import { listAll, readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { untilEnoughOverlap } from '../probe/overlap.ts'

const BATCH = 7
/** Appends of one round, and looks that are wanted beside them. In memory nothing can come between, which is right. */
const APPENDS = 30
const WANTED_LOOKS = 30
const MAX_ROUNDS = 8

export const atomicityCases: readonly Case[] = [
  {
    id: 'atomicity.read-whole-batches',
    level: 'must',
    promise: 'A reader beside a writer sees an append whole or not at all.',
    prevents: 'A model sees a tool call without the result that was stored with it.',
    async run(context) {
      const { backend, random } = context
      const session = new ExpectedSession(random)
      await besideAppends(
        context,
        () => session.grow(backend, BATCH),
        async () => {
          const events = await readAll(backend, session.key)
          assert.equal(
            events.length % BATCH,
            0,
            `a read gave ${events.length} events, which is not a number of whole batches of ${BATCH}`,
          )
        },
      )
      await session.check(backend)
    },
  },
  {
    id: 'atomicity.head-with-projection',
    level: 'must',
    promise: 'head gives the last seq and the projection of one and the same append.',
    prevents: 'Core resumes from a state that belongs to another version.',
    async run(context) {
      const { backend, random } = context
      const session = new ExpectedSession(random)
      await besideAppends(
        context,
        () => session.grow(backend, BATCH),
        async () => {
          const head = await backend.head(session.key)
          if (head !== undefined) assert.deepEqual(head.projection, { last: head.last })
        },
      )
    },
  },
  {
    id: 'atomicity.list-with-projection',
    level: 'must',
    promise: 'list gives the last seq and the projection of one and the same append.',
    prevents: 'A list shows a title or a count that belongs to another version.',
    async run(context) {
      const { backend, random } = context
      const session = new ExpectedSession(random)
      await besideAppends(
        context,
        () => session.grow(backend, BATCH),
        async () => {
          for (const head of await listAll(backend)) assert.deepEqual(head.projection, { last: head.last })
        },
      )
    },
  },
  {
    id: 'atomicity.read-after-head',
    level: 'must',
    promise: 'A read that is begun after head was asked sees at least the events that head spoke of.',
    prevents: 'A reader is told of messages that it then cannot read.',
    async run(context) {
      const { backend, random } = context
      const session = new ExpectedSession(random)
      await besideAppends(
        context,
        () => session.grow(backend, BATCH),
        async () => {
          const last = (await backend.head(session.key))?.last ?? 0
          const events = await readAll(backend, session.key)
          assert.ok((events.at(-1)?.seq ?? 0) >= last, `head said ${last}, a later read ends at ${events.at(-1)?.seq}`)
        },
      )
    },
  },
  {
    id: 'atomicity.trim-with-append',
    level: 'must',
    promise:
      'A reader beside a writer that trims sees the events before the append or those after it, never a mixture.',
    prevents: 'A summary and the messages that it replaces are both seen, or neither.',
    async run(context) {
      const { backend, random } = context
      const session = new ExpectedSession(random)
      await session.grow(backend, BATCH)
      await besideAppends(
        context,
        // Each append adds one batch and trims the one before the last, so that exactly one is there at any time.
        () => session.grow(backend, BATCH, { trimBefore: session.last + 1 }),
        async () => {
          const seqs = (await readAll(backend, session.key)).map(({ seq }) => seq)
          const start = seqs[0] ?? 0
          assert.equal(start % BATCH, 1)
          assert.deepEqual(
            seqs,
            Array.from({ length: BATCH }, (_, index) => start + index),
          )
          const head = await backend.head(session.key)
          assert.equal((head?.last ?? 0) - (head?.first ?? 0), BATCH - 1)
        },
      )
      await session.check(backend)
    },
  },
  {
    id: 'atomicity.erase',
    level: 'must',
    promise:
      'A reader beside an erase sees the whole session or none of it: head never fails, a read that meets the erase may end with a StoreError.',
    prevents: 'A reader takes what is left of a deleted conversation for the whole of it.',
    async run({ backend, harness, capabilities, random, count }) {
      const readers = [backend]
      if (capabilities.concurrentReaders && harness.second !== undefined) {
        const reader = await harness.second()
        await reader.open({ readOnly: true })
        readers.push(reader)
      }
      await untilEnoughOverlap({ least: count(5), wanted: 10, most: MAX_ROUNDS }, async () => {
        const session = new ExpectedSession(random)
        for (let i = 0; i < 3; i++) await session.grow(backend, 50)
        return besideWrite(
          () => backend.erase(session.key, session.last),
          async () => {
            for (const reader of readers) {
              const { length } = await readAll(reader, session.key).catch((error: unknown) => {
                if (!isStoreError(error) || error.code === 'CORRUPT') throw error
                return []
              })
              assert.ok(length === 0 || length === 150, `a read beside an erase gave ${length} of 150 events`)
              const last = (await reader.head(session.key))?.last ?? 0
              assert.ok(last === 0 || last === 150, `head said ${last} beside the erase of a session at 150`)
            }
          },
        )
      })
    },
  },
  {
    id: 'atomicity.sessions-apart',
    level: 'must',
    promise:
      'Many sessions that are read and appended at once stay apart: a read gives its own session as it was before or after the append, and a reopen finds what was acknowledged.',
    prevents: 'Under load messages go to the wrong conversation.',
    async run({ backend, harness, capabilities, random, count }) {
      const sessions = Array.from({ length: count(40) }, () => new ExpectedSession(random))
      for (let round = 0; round < 2; round++) {
        await Promise.all(sessions.map((session) => growWhileRead(backend, session)))
      }
      for (const session of sessions) await session.check(backend)
      if (!capabilities.persistent) return
      const reopened = await harness.reopen()
      for (const session of sessions) await session.check(reopened)
    },
  },
]

/** Appends again and again while `look` is repeated, until it has looked often enough. */
async function besideAppends(
  { count }: CaseContext,
  append: () => Promise<void>,
  look: () => Promise<void>,
): Promise<void> {
  await untilEnoughOverlap({ least: count(1), wanted: WANTED_LOOKS, most: MAX_ROUNDS }, () =>
    besideWrite(async () => {
      for (let i = 0; i < APPENDS; i++) await append()
    }, look),
  )
}

/** One append and, begun beside it, two reads of the same session. */
async function growWhileRead(backend: Backend, session: ExpectedSession): Promise<void> {
  const before = session.events
  const reads = [readAll(backend, session.key), readAll(backend, session.key)]
  const [, ...seen] = await Promise.all([session.grow(backend, 2), ...reads])
  for (const events of seen) {
    assert.deepEqual(events, events.length === before.length ? before : session.events, `a read of ${session.key}`)
  }
}
