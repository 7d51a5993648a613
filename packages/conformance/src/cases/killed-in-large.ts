import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Case, CaseContext } from '../context/case.ts'
import type { ChildBackend } from '../child/child-backend.ts'
import { withChild } from '../child/with-child.ts'
import { listAll, readSeqs } from '../probe/collect.ts'
import { untilEnoughOverlap } from '../probe/overlap.ts'

/** An append and an erase that no storage writes in one step. */
const LARGE_APPEND = 20_000
const LARGE_ERASE = 10_000
/** Kills, spread over the time that an undisturbed write takes. */
const KILLS = 4

const DURABLE = {
  requires: ['persistent', 'durable', 'module'],
  starts: 'closed',
  timeoutMs: 120_000,
} as const

export const killedInLargeCases: readonly Case[] = [
  {
    id: 'durability.killed-in-large-append',
    level: 'must',
    promise: 'An append of 20,000 events that is cut by the death of its process is there as a whole or not at all.',
    prevents: 'A crash during an import leaves half of a conversation that looks like all of it.',
    ...DURABLE,
    run: (context) =>
      killWhileWriting(context, LARGE_APPEND, {
        prepare: () => Promise.resolve(),
        write: (child, key) => child.bulk(key, 1, LARGE_APPEND),
      }),
  },
  {
    id: 'durability.killed-in-large-erase',
    level: 'must',
    promise:
      'A session of 10,000 events whose erase is cut by the death of its process is there as a whole or not at all.',
    prevents: 'A crash during a deletion leaves half of a conversation that looks like all of it.',
    ...DURABLE,
    run: (context) =>
      killWhileWriting(context, LARGE_ERASE, {
        prepare: (child, key) => child.bulk(key, 1, LARGE_ERASE),
        write: (child, key) => child.erase(key, LARGE_ERASE),
      }),
  },
]

interface Work {
  readonly prepare: (child: ChildBackend, key: string) => Promise<void>
  readonly write: (child: ChildBackend, key: string) => Promise<void>
}

/** Lets a write end once, so that it is known how long it takes, then kills it in each part of that time. */
async function killWhileWriting(context: CaseContext, length: number, work: Work): Promise<void> {
  const { harness, random, count } = context
  const kills = count(KILLS)
  let tookMs = Infinity
  const cutAfter = async (key: string, part: number): Promise<boolean> =>
    withChild(context, async (child) => {
      await child.open()
      await work.prepare(child, key)
      const start = performance.now()
      let isDone = false
      const writing = (async () => {
        await work.write(child, key)
        isDone = true
        tookMs = performance.now() - start // of the last one that came to its end: the machine may have been busy before
      })()
      if (part === 1) await writing
      writing.catch(() => undefined) // it ends with the child
      const delayMs = tookMs * part
      if (!isDone) await new Promise((resolve) => setTimeout(resolve, delayMs))
      return !isDone
    })
  await cutAfter('whole', 1)
  await untilEnoughOverlap({ least: kills, wanted: kills, most: 2 * kills }, async (round) => {
    const key = `large-${round}`
    const wasCut = await cutAfter(key, ((round % kills) + random.next()) / kills)
    const backend = await harness.reopen()
    await checkWhole(backend, key, length)
    await backend.close()
    return wasCut ? 1 : 0
  })
}

async function checkWhole(backend: Backend, key: string, length: number): Promise<void> {
  const head = await backend.head(key)
  const seqs = await readSeqs(backend, key)
  const [listed] = await listAll(backend, { prefix: key })
  const found = { head: head?.last ?? 0, read: seqs.length, end: seqs.at(-1) ?? 0, list: listed?.last ?? 0 }
  const whole = head === undefined ? 0 : length
  assert.deepEqual(found, { head: whole, read: whole, end: whole, list: whole }, `${key} after the crash`)
  if (head !== undefined) assert.deepEqual(head.projection, { last: length })
}
