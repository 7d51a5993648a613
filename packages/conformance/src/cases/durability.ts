import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Case, CaseContext } from '../context/case.ts'
import { withChild } from '../child/with-child.ts'
import { textOf } from '../child/write-without-end.ts'
import { ALL, listKeys } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'

const SESSIONS = ['alpha', 'beta', 'gamma', 'delta']

/** Each at another moment of what a writer does. */
const KILLS = 8

interface Acknowledged {
  first: number
  last: number
}

export const durabilityCases: readonly Case[] = [
  {
    id: 'durability.killed',
    level: 'must',
    promise:
      'After a process was killed at any moment every acknowledged append is there, contiguous, in whole batches, with the projection and the logical start of the last.',
    prevents: 'A crash loses messages that were acknowledged, or leaves half of an append.',
    requires: ['persistent', 'durable', 'module'],
    starts: 'closed',
    timeoutMs: 120_000,
    async run(context) {
      const acknowledged = new Map<string, Acknowledged>()
      for (let cycle = 0; cycle < context.count(KILLS); cycle++) {
        await writeAndKill(context, acknowledged, cycle)
        const backend = cycle === 0 ? context.backend : await context.harness.reopen()
        if (cycle === 0) await backend.open()
        for (const session of SESSIONS) await examine(backend, session, acknowledged.get(session))
        assert.ok((await listKeys(backend)).length >= acknowledged.size, 'every acknowledged session is listed')
        await backend.close()
      }
      assert.ok(acknowledged.size > 0, 'a writer that is never acknowledged proves nothing')
    },
  },
  {
    id: 'durability.acknowledged-then-killed',
    level: 'must',
    promise: 'An append that has resolved survives the death of the process in the next instant.',
    prevents: 'A message is acknowledged before it is stored.',
    requires: ['persistent', 'durable', 'module'],
    starts: 'closed',
    async run(context) {
      const { harness, random, count } = context
      for (let cycle = 0; cycle < count(3); cycle++) {
        const session = `killed-${cycle}`
        const size = random.integer(1, 200)
        await withChild(context, async (child) => {
          await child.open()
          const events = Array.from({ length: size }, (_, index) => ({
            seq: index + 1,
            id: `${index}`,
            type: 'T',
            v: 1,
            at: 1,
          }))
          await child.append(session, { last: 0, incarnation: 'incarnation' }, events, { size })
        })
        const backend = await harness.reopen()
        const head = await backend.head(session)
        assert.deepEqual({ last: head?.last, projection: head?.projection }, { last: size, projection: { size } })
        await backend.close()
      }
    },
  },
  {
    id: 'durability.killed-in-erase',
    level: 'must',
    promise:
      'After a process was killed while it erased, each session is whole or gone, and what was acknowledged as erased is gone.',
    prevents: 'A crash leaves a part of a deleted conversation, or brings it back.',
    requires: ['persistent', 'durable', 'module'],
    starts: 'closed',
    async run(context) {
      const { harness, random, count } = context
      for (let cycle = 0; cycle < count(3); cycle++) {
        const sessions = Array.from({ length: 12 }, () => new ExpectedSession(random))
        const erased = new Set<string>()
        await withChild(context, async (child) => {
          await child.open()
          await Promise.all(sessions.map((session) => session.grow(child, 20)))
          const erases = sessions.map(async ({ key, last }) => {
            await child.erase(key, last)
            erased.add(key)
          })
          for (const erase of erases) erase.catch(() => undefined) // it ends with the child
          await erases[0]
          const delayMs = random.next() * 4
          await new Promise((resolve) => setTimeout(resolve, delayMs))
        })
        const backend = await harness.reopen()
        const listed = await listKeys(backend)
        for (const session of sessions) {
          const { key } = session
          if (!erased.has(key) && (await backend.head(key)) !== undefined) await session.check(backend)
          else await new ExpectedSession(random, key).check(backend)
          assert.equal(listed.includes(key), (await backend.head(key)) !== undefined, `whether ${key} is listed`)
        }
        await backend.close()
      }
    },
  },
]

/** Lets a child write until a seeded number of acknowledgements has come, and a seeded while longer. */
async function writeAndKill(
  context: CaseContext,
  acknowledged: Map<string, Acknowledged>,
  cycle: number,
): Promise<void> {
  const { random, seed } = context
  await withChild(context, async (child) => {
    await child.open()
    let left = random.integer(1, 60)
    const enough = new Promise<void>((resolve) => {
      child.onAcknowledged = ({ session, first, last }) => {
        acknowledged.set(session, { first, last })
        if (--left === 0) resolve()
      }
    })
    const writing = child.write(SESSIONS, seed + cycle)
    await Promise.race([enough, writing])
    const delayMs = random.next() * 4
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    writing.catch(() => undefined) // it ends with the child
  })
}

async function examine(backend: Backend, session: string, acknowledged: Acknowledged | undefined): Promise<void> {
  const head = await backend.head(session)
  const last = head?.last ?? 0
  const kept = acknowledged ?? { first: 1, last: 0 }
  assert.ok(last >= kept.last, `${session}: ${kept.last} was acknowledged, after the crash the last seq is ${last}`)
  assert.ok(
    (head?.first ?? 1) >= kept.first,
    `${session}: was trimmed before ${kept.first}, now begins at ${head?.first}`,
  )
  let seq = head?.first ?? 1
  let left: unknown = 0
  for await (const batch of backend.read(session, ALL)) {
    for (const event of batch) {
      assert.deepEqual({ seq: event.seq, text: event['text'] }, { seq, text: textOf(session, seq) })
      left = event['left']
      seq++
    }
  }
  assert.equal(seq - 1, last, `${session}: head says ${last}, the events end at ${seq - 1}`)
  assert.equal(left, 0, `${session}: the last batch is not whole, ${String(left)} events are missing`)
  if (head !== undefined) {
    assert.deepEqual(head.projection, { first: head.first, last }, `${session}: the projection tells of one append`)
  }
}
