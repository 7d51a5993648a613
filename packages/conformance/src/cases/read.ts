import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'

import type { Case } from '../context/case.ts'
import { appendBulk } from '../child/append-bulk.ts'
import { ALL, listKeys, readAll, readSeqs } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { growLong } from '../probe/grow-long.ts'
import { openDescriptors } from '../probe/open-descriptors.ts'

const VERY_LONG = 150_000
const LARGE_APPEND = 11_000

export const readCases: readonly Case[] = [
  {
    id: 'read.unknown',
    level: 'must',
    promise: 'A session that does not exist has no events.',
    prevents: 'Reading a conversation that does not exist fails or creates it.',
    async run({ backend, random }) {
      assert.deepEqual(await readAll(backend, 'nobody'), [])
      await new ExpectedSession(random, 'nobody-else').grow(backend, 1)
      assert.deepEqual(await readAll(backend, 'nobody'), [])
      assert.deepEqual(await listKeys(backend), ['nobody-else'])
    },
  },
  {
    id: 'read.batch.never-empty',
    level: 'must',
    promise: 'A batch is never empty: a read without events gives no batch.',
    prevents: 'A reader takes an empty batch for the end and misses the rest.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 10)
      await session.grow(backend, 1, { trimBefore: 4 })
      const reads = [
        backend.read('nobody', ALL),
        backend.read(session.key, []),
        backend.read(session.key, [{ from: 1, to: 3 }]),
        backend.read(session.key, [{ from: 12, to: 20 }]),
        backend.read(session.key, ALL, { limit: 0 }),
        backend.read(session.key, ALL),
        backend.read(
          session.key,
          [
            { from: 1, to: 2 },
            { from: 5, to: 5 },
            { from: 50, to: 60 },
          ],
          { reverse: true },
        ),
      ]
      for (const [index, read] of reads.entries()) {
        for await (const batch of read) assert.ok(batch.length > 0, `read ${index} gave an empty batch`)
      }
    },
  },
  {
    id: 'read.long',
    level: 'must',
    promise: 'A long session comes back whole, in both directions.',
    prevents: 'The end of a long conversation is missing.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < count(5); i++) await session.grow(backend, 1000)
      await session.check(backend)
      assert.deepEqual(await readAll(backend, session.key, ALL, { reverse: true }), [...session.events].reverse())
    },
  },
  {
    id: 'read.very-long',
    level: 'must',
    promise: 'A session of 150,000 events comes back whole in one read, in order and to the last one.',
    prevents: 'The end of a very long conversation is missing, or reading it takes all the memory.',
    async run({ backend }) {
      for (let from = 1; from <= VERY_LONG; from += LARGE_APPEND) {
        await appendBulk(backend, 'very long', from, Math.min(LARGE_APPEND, VERY_LONG + 1 - from))
      }
      let seen = 0
      for await (const batch of backend.read('very long', ALL)) {
        for (const { seq, id } of batch) {
          if (seq === ++seen && id === `very long-${seq}`) continue
          assert.deepEqual({ seq, id }, { seq: seen, id: `very long-${seen}` })
        }
      }
      assert.equal(seen, VERY_LONG)
    },
  },
  {
    id: 'read.snapshot.ranges',
    level: 'must',
    promise: 'All ranges of one read come from one snapshot.',
    prevents: 'A model sees the beginning of one state and the end of another.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 10)
      for (let round = 0; round < count(20); round++) {
        // Each append trims what the last one added: both ends of the session move together.
        const { first, last } = session
        const ranges = [
          { from: first, to: first },
          { from: last, to: last + 100 },
        ]
        const [seqs] = await Promise.all([
          readSeqs(backend, session.key, ranges),
          session.grow(backend, 10, { trimBefore: last + 1 }),
        ])
        const after = Array.from({ length: 10 }, (_, index) => last + 1 + index)
        assert.ok(
          isOneOf(seqs, [[first, last], after]),
          `a read beside an append gave ${JSON.stringify(seqs)}, a mixture of before and after`,
        )
      }
    },
  },
  {
    id: 'read.abort.before',
    level: 'must',
    promise: "A read whose signal is already aborted rejects with the signal's reason.",
    prevents: 'A request that was cancelled is carried out all the same.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      const reason = new Error('enough')
      await assert.rejects(readAll(backend, session.key, ALL, { signal: AbortSignal.abort(reason) }), reason)
      await session.check(backend)
    },
  },
  {
    id: 'read.abort.between',
    level: 'must',
    promise: "A signal that aborts between two steps ends the read: the next step rejects with the signal's reason.",
    prevents: 'A cancelled request goes on reading.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await growLong(session, backend, backend)
      const controller = new AbortController()
      const reason = { any: 'value' }
      const reader = backend.read(session.key, ALL, { signal: controller.signal })[Symbol.asyncIterator]()
      await reader.next()
      controller.abort(reason)
      await assert.rejects(reader.next(), (error) => error === reason)
      assert.deepEqual(await readSeqs(backend, session.key, [{ from: 1, to: 2 }]), [1, 2])
    },
  },
  {
    id: 'read.abort.leaves-no-listener',
    level: 'must',
    promise: 'A read that is over, or was left early, has removed its listeners from the signal.',
    prevents: 'A long-lived signal collects listeners until memory runs out.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 50)
      const { signal } = new AbortController()
      for (let i = 0; i < 50; i++) {
        await readAll(backend, session.key, ALL, { signal })
        for await (const _batch of backend.read(session.key, ALL, { signal })) break
      }
      assert.equal(getEventListeners(signal, 'abort').length, 0)
    },
  },
  {
    id: 'read.break.releases',
    level: 'must',
    promise: 'Leaving the loop early releases everything, thousands of times over.',
    prevents: 'A server that stops reading early runs out of files or memory.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 30)
      for await (const _batch of backend.read(session.key, ALL)) break
      const before = await openDescriptors()
      for (let i = 0; i < count(2000); i++) {
        for await (const _batch of backend.read(session.key, ALL, { reverse: i % 2 === 0 })) break
      }
      const after = await openDescriptors()
      assert.ok(after <= before + 8, `${before} open files before, ${after} after`)
      await session.grow(backend, 1)
      await session.check(backend)
      await backend.close()
    },
  },
  {
    id: 'read.throw.releases',
    level: 'must',
    promise: 'An exception in the body of the loop passes through and releases everything.',
    prevents: 'A server whose handlers fail runs out of files or memory.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 30)
      const before = await openDescriptors()
      for (let i = 0; i < count(200); i++) {
        const thrown = new Error('mine')
        await assert.rejects(async () => {
          for await (const _batch of backend.read(session.key, ALL)) throw thrown
        }, thrown)
      }
      const after = await openDescriptors()
      assert.ok(after <= before + 8, `${before} open files before, ${after} after`)
      await backend.close()
    },
  },
  {
    id: 'read.parallel',
    level: 'must',
    promise: 'Many reads of one session run beside each other, each with its own place.',
    prevents: 'Two readers of one conversation take batches from each other.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 500)
      const reads = Array.from({ length: 20 }, (_, index) =>
        readSeqs(backend, session.key, [{ from: 1 + index, to: 400 }]),
      )
      for (const [index, seqs] of (await Promise.all(reads)).entries()) {
        assert.deepEqual([seqs[0], seqs.at(-1), seqs.length], [1 + index, 400, 400 - index])
      }
    },
  },
]

function isOneOf(actual: readonly number[], allowed: readonly (readonly number[])[]): boolean {
  return allowed.some((candidate) => JSON.stringify(candidate) === JSON.stringify(actual))
}
