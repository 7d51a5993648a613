import assert from 'node:assert/strict'

import { isStoreError } from '@turnlog/core/backend'
import type { Backend, StoreError } from '@turnlog/core/backend'

import type { Case, CaseContext } from '../context/case.ts'
import { ChildBackend } from '../child/child-backend.ts'
import { listAll, listKeys, readAll } from '../probe/collect.ts'
import { withChild } from '../child/with-child.ts'
import { checkCompetition } from '../probe/check-competition.ts'
import { checkErasures } from '../child/check-erasures.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { untilEnoughOverlap } from '../probe/overlap.ts'
import { rejects } from '../probe/rejects.ts'
import { secondOf } from '../probe/second-of.ts'
import type { Harness } from '../context/target.ts'

const WRITERS = ['ada', 'ben', 'eve', 'kim']
/** What each of them does in one round, and how often they are to meet. */
const TURNS = 12
const WANTED_CONFLICTS = 40
const MAX_ROUNDS = 8

export const sharedCases: readonly Case[] = [
  {
    id: 'shared.both-open',
    level: 'must',
    promise: 'A shared store is open for any number of writers, and each sees what the others have written.',
    prevents: 'The second instance of a service does not see what the first has stored.',
    requires: ['shared', 'second'],
    async run({ backend, harness, random }) {
      const other = await openSecond(harness)
      const session = new ExpectedSession(random)
      for (let i = 0; i < 6; i++) {
        const [writer, reader] = i % 2 === 0 ? [backend, other] : [other, backend]
        await session.grow(writer, 2, i === 3 ? { trimBefore: 4 } : {})
        await session.check(reader)
        await session.check(writer)
        assert.deepEqual(await listKeys(reader), [session.key])
      }
    },
  },
  {
    id: 'shared.first-opens',
    level: 'must',
    promise: 'Writers that open a store at once, where there was none, all come in and find the same store.',
    prevents: 'A service cannot be started as several instances at once.',
    requires: ['shared', 'second', 'module'],
    starts: 'closed',
    async run({ backend, harness, target, directory, random }) {
      const writers = [backend, await secondOf(harness), await secondOf(harness)]
      const children = Array.from({ length: 3 }, () => new ChildBackend(target.module ?? '', directory))
      try {
        await Promise.all(children.map((child) => child.ready())) // so that all of them open in the same moment
        await Promise.all([...writers, ...children].map((writer) => writer.open()))
        const session = new ExpectedSession(random)
        for (const writer of [...writers, ...children]) await session.grow(writer, 1)
        for (const writer of writers) await session.check(writer)
      } finally {
        for (const child of children) await child.kill()
      }
    },
  },
  {
    id: 'shared.fenced',
    level: 'must',
    promise: 'Among appends of different writers with one expected version exactly one wins, the others get CONFLICT.',
    prevents: 'Two instances of a service store two answers for one turn.',
    requires: ['shared', 'second'],
    async run({ backend, harness, random, count }) {
      const writers = [backend, await openSecond(harness), await openSecond(harness)]
      const session = new ExpectedSession(random)
      for (let round = 0; round < count(15); round++) {
        const { expected } = session
        const attempts = writers.map((_, index) => session.next(1 + index, { contender: index }))
        const outcomes = await Promise.allSettled(
          writers.map((writer, index) =>
            writer.append(session.key, expected, attempts[index] ?? [], { winner: index }),
          ),
        )
        const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
        assert.equal(winners.length, 1, `of 3 writers with one expected version exactly 1 wins, not ${winners.length}`)
        const winner = winners[0] ?? 0
        session.accept(attempts[winner] ?? [], { winner })
        for (const outcome of outcomes) {
          if (outcome.status === 'fulfilled') continue
          const error = outcome.reason as StoreError
          if (!isStoreError(error, 'CONFLICT')) throw error
          assert.equal(error.actual, session.last)
        }
      }
      for (const writer of writers) await session.check(writer)
    },
  },
  {
    id: 'shared.erase',
    level: 'must',
    promise: 'A writer that missed an erase and a new beginning gets CONFLICT, also at the same version.',
    prevents: 'An instance that missed a deletion appends to the conversation that came after it.',
    requires: ['shared', 'second'],
    async run({ backend, harness, random }) {
      const other = await openSecond(harness)
      const old = new ExpectedSession(random)
      await old.grow(backend, 2)
      await old.check(backend)
      await old.check(other)
      await other.erase(old.key, 2)
      const anew = new ExpectedSession(random, old.key)
      await anew.grow(other, 2)
      await rejects('CONFLICT', 'an append in the old incarnation', () =>
        backend.append(old.key, old.expected, old.next(1), null),
      )
      await anew.check(backend)
    },
  },
  {
    id: 'shared.erase.race',
    level: 'must',
    promise: 'An erase and an append of two writers at one version: one of them wins, the other gets CONFLICT.',
    prevents: 'One instance deletes a message that another one has just acknowledged.',
    requires: ['shared', 'second'],
    async run({ backend, harness, random, count }) {
      const other = await openSecond(harness)
      for (let round = 0; round < count(12); round++) {
        const session = new ExpectedSession(random)
        await session.grow(backend, 2)
        const events = session.next(1)
        const [appender, eraser] = round % 2 === 0 ? [backend, other] : [other, backend]
        const append = (): Promise<void> => appender.append(session.key, session.expected, events, 'appended')
        const erase = (): Promise<void> => eraser.erase(session.key, 2)
        const first = await settle(round % 4 < 2 ? [append, erase] : [erase, append])
        const [appended, erased] = round % 4 < 2 ? first : [first[1], first[0]]
        assert.deepEqual(
          [appended, erased].filter((outcome) => outcome === 'fulfilled').length,
          1,
          `of an append and an erase of two writers at one version exactly 1 wins: ${appended}, ${erased}`,
        )
        if (appended === 'fulfilled') session.accept(events, 'appended')
        const left = erased === 'fulfilled' ? new ExpectedSession(random, session.key) : session
        for (const one of [backend, other]) await left.check(one)
      }
    },
  },
  {
    id: 'shared.erase.processes',
    level: 'must',
    promise: 'Processes that append to one session and erase it never erase an append that nobody had read.',
    prevents: 'Under load a deletion takes messages with it that nobody had read.',
    requires: ['shared', 'module'],
    timeoutMs: 120_000,
    async run(context) {
      const { backend, count } = context
      await withContenders(context, async (contenders) => {
        await untilEnoughOverlap({ least: count(2), wanted: WANTED_CONFLICTS, most: MAX_ROUNDS }, async (round) => {
          const key = `contested-${round}`
          const deeds = await Promise.all(
            contenders.map(({ writer, child }) => child.appendAndErase(key, writer, TURNS)),
          )
          checkErasures(deeds, await backend.head(key))
          return deeds.reduce((sum, { conflicts }) => sum + conflicts, 0)
        })
      })
    },
  },
  {
    id: 'shared.other-process',
    level: 'must',
    promise: 'What another process has written, trimmed or erased is seen by the next head, read and list of a writer.',
    prevents: 'An instance works with what it remembers and not with what is stored.',
    requires: ['shared', 'module'],
    async run(context) {
      const { backend, random } = context
      await withChild(context, async (child) => {
        await child.open()
        let session = new ExpectedSession(random, 'of-both')
        const agree = async (): Promise<void> => {
          await session.check(backend)
          const { head, events, heads } = {
            head: await child.head(session.key),
            events: await child.readAll(session.key),
            heads: await child.list(),
          }
          assert.deepEqual({ head, events }, { head: await backend.head(session.key), events: session.events })
          assert.deepEqual(heads, await listAll(backend))
        }
        for (let round = 0; round < 2; round++) {
          await agree()
          for (const trimBefore of [1, 1, 3]) {
            await session.grow(child, 2, { trimBefore })
            await agree()
            await session.grow(backend, 1)
            await agree()
          }
          await (round === 0 ? child : backend).erase(session.key, session.last)
          session = new ExpectedSession(random, session.key)
        }
        await agree()
      })
    },
  },
  {
    id: 'shared.processes',
    level: 'must',
    promise:
      'Processes that compete for one session, reading again and retrying after CONFLICT, lose and double nothing.',
    prevents: 'Messages are lost or doubled when several instances write at once.',
    requires: ['shared', 'module'],
    timeoutMs: 120_000,
    async run(context) {
      const { backend, count } = context
      await withContenders(context, async (contenders) => {
        await untilEnoughOverlap({ least: count(2), wanted: WANTED_CONFLICTS, most: MAX_ROUNDS }, async (round) => {
          const key = `contested-${round}`
          const conflicts = await Promise.all(contenders.map(({ writer, child }) => child.compete(key, writer, TURNS)))
          const names = contenders.map(({ writer }) => writer)
          checkCompetition(await readAll(backend, key), names, TURNS)
          return conflicts.reduce((sum, met) => sum + met, 0)
        })
      })
    },
  },
]

/** Processes that have all opened the store before the first of them writes. */
async function withContenders(
  { target, directory }: CaseContext,
  work: (contenders: readonly { readonly writer: string; readonly child: ChildBackend }[]) => Promise<void>,
): Promise<void> {
  const contenders = WRITERS.map((writer) => ({ writer, child: new ChildBackend(target.module ?? '', directory) }))
  try {
    for (const { child } of contenders) await child.open()
    await work(contenders)
  } finally {
    for (const { child } of contenders) await child.kill()
  }
}

async function openSecond(harness: Harness): Promise<Backend> {
  const backend = await secondOf(harness)
  await backend.open()
  return backend
}

async function settle(calls: readonly (() => Promise<void>)[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(calls.map((call) => call()))
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isStoreError(outcome.reason, 'CONFLICT')) throw outcome.reason as Error
  }
  return outcomes.map(({ status }) => status)
}
