import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { ChildBackend } from '../child/child-backend.ts'
import { compete } from '../child/compete.ts'
import { openInWorker } from '../child/open-in-worker.ts'
import { withChild } from '../child/with-child.ts'
import { checkCompetition } from '../probe/check-competition.ts'
import { readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { secondOf } from '../probe/second-of.ts'
import { settled } from '../probe/settled.ts'

/** Writers of each kind: in this process, in worker threads of it, in other processes. */
const OF_A_KIND = { here: 12, threads: 2, processes: 2 }
const APPENDS_EACH = 4

/** How long a store stays busy, how soon a call must have ended that is not held up, and how often that is tried. */
const BUSY_MS = 500
const FREE_MS = 60
const TRIES = 12

export const manyWritersCases: readonly Case[] = [
  {
    id: 'shared.many-writers',
    level: 'must',
    promise: 'Any number of writers may be open at once, in one process, in its worker threads and in other processes.',
    prevents: 'A service cannot be scaled beyond some number of workers, or loses messages when it is.',
    requires: ['shared', 'second', 'module'],
    async run({ backend, harness, target, directory }) {
      const module = target.module ?? ''
      const here = [backend]
      while (here.length < OF_A_KIND.here) {
        const another = await secondOf(harness)
        await another.open()
        here.push(another)
      }
      const children = Array.from({ length: OF_A_KIND.processes }, () => new ChildBackend(module, directory))
      const names: string[] = []
      const named = (kind: string, index: number): string => names[names.push(`${kind}-${index}`) - 1] ?? ''
      try {
        for (const child of children) await child.open()
        const threads = Array.from({ length: OF_A_KIND.threads }, (_, index) => {
          const work = { session: 'contested', writer: named('thread', index), count: APPENDS_EACH }
          return openInWorker(module, directory, work)
        })
        await Promise.all([
          ...here.map((one, index) => compete(one, 'contested', named('here', index), APPENDS_EACH)),
          ...children.map((child, index) => child.compete('contested', named('process', index), APPENDS_EACH)),
        ])
        for (const outcome of await Promise.all(threads)) assert.equal(outcome, 'opened', 'a writer in a worker thread')
      } finally {
        for (const child of children) await child.kill()
      }
      checkCompetition(await readAll(backend, 'contested'), names, APPENDS_EACH)
    },
  },
  {
    id: 'shared.busy',
    level: 'must',
    promise: 'A store that another writer keeps busy for half a second makes others wait: neither LOCKED nor IO.',
    prevents: 'A service fails whenever another instance of it writes something large.',
    requires: ['shared', 'second', 'module', 'signals'],
    async run(context) {
      const { backend, harness, random, count } = context
      await withChild(context, async (child) => {
        await child.open()
        child.churn('busy', Number.MAX_SAFE_INTEGER, context.seed).catch(() => undefined) // it ends with the child
        let held = 0
        for (let attempt = 0; attempt < TRIES && held < count(1); attempt++) {
          const delayMs = 5 + random.next() * 10
          await new Promise((resolve) => setTimeout(resolve, delayMs))
          child.stop()
          const calls = everyCall(backend, await secondOf(harness), new ExpectedSession(random))
          if (await isHeldUp(calls)) held++
          child.resume()
          await calls
        }
      })
    },
  },
]

/** What a busy store may hold up: an append, reading it back, an erase, and a further writer that opens. */
async function everyCall(backend: Backend, another: Backend, session: ExpectedSession): Promise<void> {
  const opening = settled(another.open())
  await session.grow(backend, 2)
  await session.check(backend)
  await backend.erase(session.key, session.last)
  ;(await opening)()
  await another.close()
}

/** Whether calls are held up by a writer that stands still; then it stands for half a second in all. */
async function isHeldUp(calls: Promise<void>): Promise<boolean> {
  const within = async (waitMs: number): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined
    const waited = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), waitMs)
    })
    const isDone = await Promise.race([calls.then(() => true), waited])
    clearTimeout(timer)
    return isDone
  }
  return !(await within(FREE_MS)) && !(await within(BUSY_MS))
}
