import assert from 'node:assert/strict'

import { isStoreError } from '@turnlog/core/backend'
import type { Backend, EventRecord } from '@turnlog/core/backend'

import type { Case, CaseContext } from '../context/case.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { growLong } from '../probe/grow-long.ts'
import { secondOf } from '../probe/second-of.ts'
import { stepByStep } from '../probe/step-by-step.ts'

/** Who reads while who writes. A snapshot that holds against one's own writes may not hold against another's. */
interface Pair {
  readonly reader: Backend
  readonly writer: Backend
}

/** How many appends come after a trim: what is trimmed may be removed by the next append, or by the one after it. */
const LATER_APPENDS = 3
/** Appends between two batches, and after how many of them one trims. */
const MANY_APPENDS = 200
const TRIM_EVERY = 20

interface Situation {
  readonly group: string
  readonly byWhom: string
  readonly requires: NonNullable<Case['requires']>
  readonly pair: (context: CaseContext) => Promise<Pair>
}

const own: Situation = {
  group: 'read',
  byWhom: 'by the same backend',
  requires: [],
  pair: async ({ backend }) => ({ reader: backend, writer: backend }),
}

const shared: Situation = {
  group: 'shared',
  byWhom: 'by another writer',
  requires: ['shared', 'second'],
  async pair({ backend, harness }) {
    const writer = await secondOf(harness)
    await writer.open()
    return { reader: backend, writer }
  },
}

const readers: Situation = {
  group: 'readers',
  byWhom: 'by the writer beside a reader',
  requires: ['persistent', 'concurrentReaders', 'second'],
  async pair({ backend, harness }) {
    const reader = await secondOf(harness)
    await reader.open({ readOnly: true })
    return { reader, writer: backend }
  },
}

export const snapshotCases: readonly Case[] = [
  ...[own, shared, readers].flatMap((situation) => [appended(situation), trimmed(situation)]),
  ...[own, shared, readers].map(newIncarnation),
  ...[own, shared, readers].map(manyWrites),
]

function appended({ group, byWhom, requires, pair }: Situation): Case {
  return {
    id: `${group}.snapshot.append`,
    level: 'must',
    promise: `What is appended ${byWhom} after the first batch was asked for is not seen.`,
    prevents: `A reader gets messages of two states of a conversation: some were appended ${byWhom}.`,
    requires,
    async run(context) {
      const { reader, writer } = await pair(context)
      const session = new ExpectedSession(context.random)
      await growLong(session, writer, reader)
      const before = session.events
      const seen = await stepByStep(reader, session.key, false, () => session.grow(writer, 5))
      compare(seen, before)
    },
  }
}

function trimmed({ group, byWhom, requires, pair }: Situation): Case {
  return {
    id: `${group}.snapshot.trim`,
    level: 'must',
    promise: `What is trimmed ${byWhom} after the first batch was asked for is still seen, however much is appended then: a running read never meets a hole.`,
    prevents: `A read is cut short without an error because messages were removed ${byWhom}.`,
    requires,
    async run(context) {
      const { reader, writer } = await pair(context)
      for (const reverse of [false, true]) {
        const session = new ExpectedSession(context.random)
        await growLong(session, writer, reader)
        const before = session.events
        const seen = await stepByStep(reader, session.key, reverse, async () => {
          await session.grow(writer, 1, { trimBefore: session.last - 3 })
          for (let i = 0; i < LATER_APPENDS; i++) await session.grow(writer, 1)
        })
        compare(seen, reverse ? [...before].reverse() : before)
      }
    },
  }
}

function newIncarnation({ group, byWhom, requires, pair }: Situation): Case {
  return {
    id: `${group}.snapshot.new-incarnation`,
    level: 'must',
    promise: `A read that runs while its session is erased ${byWhom} and begins anew gives the old incarnation or a StoreError, never events of both.`,
    prevents: `A reader gets messages of a conversation that was erased ${byWhom}, mixed with those of its successor.`,
    requires,
    async run(context) {
      const { reader, writer } = await pair(context)
      for (const reverse of [false, true]) {
        const old = new ExpectedSession(context.random)
        await growLong(old, writer, reader)
        const anew = new ExpectedSession(context.random, old.key)
        const reading = stepByStep(reader, old.key, reverse, async () => {
          await writer.erase(old.key, old.last)
          await growLong(anew, writer, reader)
        })
        const seen = await reading.catch((error: unknown) => {
          if (!isStoreError(error)) throw error
        })
        if (seen !== undefined) compare(seen, reverse ? [...old.events].reverse() : old.events)
        await anew.check(reader)
      }
    },
  }
}

function manyWrites({ group, byWhom, requires, pair }: Situation): Case {
  return {
    id: `${group}.snapshot.many-writes`,
    level: 'must',
    promise: `Hundreds of appends, many trims, an erase and a reclaim ${byWhom} between two batches: the read gives its snapshot, or ends with a StoreError other than CORRUPT.`,
    prevents: `A long read is cut short or mixed, without an error, by a cleaning up that was done ${byWhom}.`,
    requires,
    async run(context) {
      const { random } = context
      const { reader, writer } = await pair(context)
      const session = new ExpectedSession(random)
      const other = new ExpectedSession(random)
      await growLong(session, writer, reader)
      await other.grow(writer, 500)
      const before = session.events
      const reverse = random.chance(0.5)
      const reading = stepByStep(reader, session.key, reverse, async () => {
        for (let i = 0; i < context.count(MANY_APPENDS); i++) {
          await session.grow(writer, 1, i % TRIM_EVERY === 0 ? { trimBefore: session.last - 3 } : {})
        }
        await writer.erase(other.key, other.last)
        await writer.maintenance?.reclaim()
      })
      const seen = await reading.catch((error: unknown) => {
        if (!isStoreError(error) || error.code === 'CORRUPT') throw error
      })
      if (seen !== undefined) compare(seen, reverse ? [...before].reverse() : before)
      await session.check(reader)
    },
  }
}

/** Says where two long reads part instead of showing thousands of events. */
function compare(seen: readonly EventRecord[], before: readonly EventRecord[]): void {
  const idOf = (event: EventRecord | undefined): unknown => event && { seq: event.seq, id: event.id }
  const length = Math.max(seen.length, before.length)
  for (let i = 0; i < length; i++) {
    assert.deepEqual(idOf(seen[i]), idOf(before[i]), `event ${i + 1} of ${before.length} in the snapshot`)
  }
}
