import assert from 'node:assert/strict'

import { isStoreError } from '@turnlog/core/backend'
import type { Backend, Head, Json } from '@turnlog/core/backend'

import type { Case, CaseContext } from '../context/case.ts'
import type { ChildBackend } from '../child/child-backend.ts'
import { withChild } from '../child/with-child.ts'
import { besideWrite } from '../probe/beside-write.ts'
import { ALL, listAll, listKeys, readAll, readSeqs } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { untilEnoughOverlap } from '../probe/overlap.ts'
import { Unproven } from '../context/unproven.ts'

/** An append and an erase that no storage writes in one step. */
const LARGE_APPEND = 20_000
const LARGE_ERASE = 10_000
/** A read of all of it takes as long as many looks at its ends. */
const LOOKS_PER_READ = 8

const BESIDE = { requires: ['persistent', 'outsideReaders', 'module'], starts: 'closed' } as const

/** What a reader sees of a writer in another process. */
export const outsideCases: readonly Case[] = [
  {
    id: 'outside.large-append',
    level: 'must',
    promise: 'An append of 20,000 events is seen whole or not at all by a reader in another process.',
    prevents: 'A model answers to the first half of an import.',
    ...BESIDE,
    async run(context) {
      await withWriter(context, async (backend, writer) => {
        const seen = await untilEnoughOverlap({ least: context.count(1), wanted: 20 }, async (round) => {
          const key = `large-${round}`
          const look = lookAt(backend, key, LARGE_APPEND, false)
          const looks = await besideWrite(() => writer.bulk(key, 1, LARGE_APPEND), look)
          assert.equal((await readSeqs(backend, key)).length, LARGE_APPEND)
          return looks
        })
        prove(seen)
      })
    },
  },
  {
    id: 'outside.large-erase',
    level: 'must',
    promise:
      'An erase of 10,000 events is seen whole or not at all from another process: head never fails beside it, a read gives all, nothing or a StoreError other than CORRUPT.',
    prevents: 'A reader takes what is left of a deleted conversation for the whole of it, or for damage.',
    ...BESIDE,
    async run(context) {
      await withWriter(context, async (backend, writer) => {
        const seen = await untilEnoughOverlap({ least: context.count(1), wanted: 8 }, async (round) => {
          const key = `large-${round}`
          await writer.bulk(key, 1, LARGE_ERASE)
          const look = lookAt(backend, key, LARGE_ERASE, true)
          const looks = await besideWrite(() => writer.erase(key, LARGE_ERASE), look)
          assert.equal(await backend.head(key), undefined)
          assert.deepEqual(await readSeqs(backend, key), [])
          assert.deepEqual(await listKeys(backend), [])
          return looks
        })
        prove(seen)
      })
    },
  },
  {
    id: 'outside.one-moment',
    level: 'must',
    promise:
      'Beside a writer in another process that appends, trims and erases, every head, list and read shows one moment of the session, and none of them is CORRUPT.',
    prevents: 'A model sees messages of two states at once, or a healthy store is taken for a damaged one.',
    ...BESIDE,
    async run(context) {
      await withWriter(context, async (backend, writer) => {
        const seen = await untilEnoughOverlap({ least: context.count(2), wanted: 60 }, async (round) => {
          const seen = new Set<string>()
          const look = async (): Promise<void> => {
            const head = await backend.head('churned')
            if (head !== undefined) checkMoment(head)
            seen.add(`${head?.incarnation} ${head?.last}`)
            for (const listed of await listAll(backend)) checkMoment(listed)
            await orStoreError(async () => checkEvents(await readAll(backend, 'churned')))
          }
          await besideWrite(() => writer.churn('churned', 24, context.seed + round), look)
          return seen.size
        })
        prove(seen)
      })
    },
  },
  {
    id: 'outside.comes-back',
    level: 'must',
    promise:
      'After another process has erased a session and made one under another key, nothing of the one is found in the other, also by a reader that knew the first.',
    prevents: 'A user is shown the conversation of another one that took the place of a deleted one.',
    ...BESIDE,
    async run(context) {
      const { random } = context
      await withWriter(context, async (backend, writer) => {
        let old = new ExpectedSession(random, 'key 0')
        await old.grow(writer, 5)
        for (let round = 1; round <= context.count(4); round++) {
          await old.check(backend)
          await writer.erase(old.key, old.last)
          const fresh = new ExpectedSession(random, `key ${round % 3}`)
          await fresh.grow(writer, random.integer(1, 9))
          await new ExpectedSession(random, old.key).check(backend)
          await fresh.check(backend)
          assert.deepEqual(await listKeys(backend), [fresh.key])
          old = fresh
        }
      })
    },
  },
]

/** A writer in another process, and this one beside it: a reader where the backend has readers, else a second writer. */
async function withWriter(
  context: CaseContext,
  work: (backend: Backend, writer: ChildBackend) => Promise<void>,
): Promise<void> {
  await withChild(context, async (writer) => {
    await writer.open()
    await context.backend.open(context.capabilities.concurrentReaders ? { readOnly: true } : {})
    await work(context.backend, writer)
  })
}

/** Where nothing was seen while the writer wrote, nothing is known. */
function prove(seen: number): void {
  if (seen === 0) throw new Unproven('the reader never looked while the writer wrote')
}

/** Asserts that a session of one append is there as a whole or not at all, by its head, its end and, now and then, all. */
function lookAt(backend: Backend, key: string, length: number, mayEnd: boolean): () => Promise<void> {
  let looks = 0
  const check = (what: string, last: number): void =>
    assert.ok(last === 0 || last === length, `${what} shows ${last} of ${length} events`)
  return async () => {
    const { last, projection } = (await backend.head(key)) ?? { last: 0, projection: { last: 0 } }
    check('head', last)
    assert.deepEqual(projection, { last })
    const read = async (): Promise<void> => {
      const [end] = await readSeqs(backend, key, ALL, { reverse: true, limit: 1 })
      check('the end of a read', end ?? 0)
      if (looks++ % LOOKS_PER_READ === 0) check('a read', (await readSeqs(backend, key)).length)
    }
    await (mayEnd ? orStoreError(read) : read())
    check('list', (await listAll(backend, { prefix: key }))[0]?.last ?? 0)
  }
}

/** A read that meets an erase may end with an error, but not with one that says the store is damaged. */
async function orStoreError(read: () => Promise<void>): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!isStoreError(error) || error.code === 'CORRUPT') throw error
  }
}

function checkMoment({ first, last, incarnation, projection }: Head): void {
  assert.deepEqual(projection, { incarnation, first, last }, 'the projection beside its head')
}

/** Asserts that events are those of one moment: of one incarnation, without a hole, from its start to the end of an append. */
function checkEvents(events: readonly { readonly seq: number; readonly [field: string]: Json | undefined }[]): void {
  const newest = events.at(-1)
  if (newest === undefined) return
  const moment = { incarnation: newest['incarnation'], first: newest['first'], left: 0 }
  const found = { incarnation: newest['incarnation'], first: events[0]?.seq, left: newest['left'] }
  assert.deepEqual(found, moment, 'the first event and the last append of a read, beside what its last event says')
  for (const [index, event] of events.entries()) {
    const place = { seq: event.seq, incarnation: event['incarnation'] }
    assert.deepEqual(place, { seq: (events[0]?.seq ?? 0) + index, incarnation: newest['incarnation'] })
  }
}
