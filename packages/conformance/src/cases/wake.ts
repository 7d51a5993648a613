import { AssertionError } from 'node:assert'
import type { Backend } from '@turnlog/core/backend'
import type { Case } from '../case.ts'
import { withChild } from '../child/with-child.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { secondOf } from '../probe/second-of.ts'

/** A hint may be slow and a watch may begin late, so that the writer writes again until it is heard. */
const MOST_APPENDS = 10
const PATIENCE_MS = 300

export const wakeCases: readonly Case[] = [
  {
    id: 'wake.ends',
    level: 'must',
    promise: 'wake ends when its signal aborts, before or while it waits.',
    requires: ['wake'],
    async run({ backend }) {
      for (const when of ['before', 'while']) {
        const controller = new AbortController()
        if (when === 'before') controller.abort()
        const ended = drain(backend, controller.signal)
        controller.abort()
        await ended
      }
    },
  },
  {
    id: 'wake.hints',
    level: 'must',
    promise: 'wake yields when another writer has written to the session.',
    requires: ['wake', 'shared', 'second'],
    async run({ backend, harness, random }) {
      const other = await secondOf(harness)
      await other.open()
      const session = new ExpectedSession(random, 'woken')
      await session.grow(other, 1)
      await heard(backend, other, session)
    },
  },
  {
    id: 'wake.readers',
    level: 'must',
    promise: 'wake of a reader yields when a writer in another process has written to the session.',
    requires: ['wake', 'persistent', 'concurrentReaders', 'module'],
    starts: 'closed',
    async run(context) {
      const { backend, random } = context
      await withChild(context, async (child) => {
        await child.open()
        const session = new ExpectedSession(random, 'woken')
        await session.grow(child, 1)
        await backend.open({ readOnly: true })
        await heard(backend, child, session)
      })
    },
  },
]

/** Lets `writer` append until `listener` is woken. */
async function heard(listener: Backend, writer: Pick<Backend, 'append'>, session: ExpectedSession): Promise<void> {
  const controller = new AbortController()
  const hints = listener.wake?.(session.key, controller.signal)[Symbol.asyncIterator]()
  const hint = hints?.next().then((step) => (step.done === true ? 'ended' : 'woken'))
  let outcome: string | undefined
  for (let i = 0; i < MOST_APPENDS && outcome === undefined; i++) {
    await session.grow(writer, 1)
    outcome = await Promise.race([hint, patience()])
  }
  controller.abort()
  if (outcome !== 'woken') {
    throw new AssertionError({
      message: `wake beside ${MOST_APPENDS} appends`,
      expected: 'a hint',
      actual: outcome ?? `nothing within ${(MOST_APPENDS * PATIENCE_MS) / 1000} s`,
    })
  }
}

async function patience(): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
}

async function drain(backend: Backend, signal: AbortSignal): Promise<void> {
  for await (const _hint of backend.wake?.('some', signal) ?? []);
}
