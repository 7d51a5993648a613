import { AssertionError } from 'node:assert'
import type { Backend } from '@turnlog/core/backend'
import type { Case } from '../case.ts'
import { withChild } from '../child/with-child.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { rejects } from '../probe/rejects.ts'
import { secondOf } from '../probe/second-of.ts'
import { settled } from '../probe/settled.ts'

/** A hint may be slow and a watch may begin late, so that the writer writes again until it is heard. */
const MOST_APPENDS = 10
const PATIENCE_MS = 300

/** Hints that are wanted, each after what came before has been drained until it was quiet. */
const ROUNDS = 3
const QUIET_MS = 50
const MOST_HINTS_LEFT = 20

export const wakeCases: readonly Case[] = [
  {
    id: 'wake.ends',
    level: 'must',
    promise: 'wake ends when its signal aborts, before or while it waits.',
    prevents: 'A watch that was cancelled goes on for ever.',
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
    id: 'wake.closed',
    level: 'must',
    promise: 'close ends a wake that waits, by an end or by CLOSED, and does not wait for its signal.',
    prevents: 'A program cannot end because somebody is watching a conversation.',
    requires: ['wake'],
    timeoutMs: 3000,
    async run({ backend }) {
      const ended = settled(drain(backend, new AbortController().signal))
      await new Promise(setImmediate) // it waits now
      await backend.close()
      const outcome = await ended
      try {
        outcome()
      } catch (error) {
        await rejects('CLOSED', 'a wake that waited when the backend was closed', () => Promise.reject(error))
      }
    },
  },
  {
    id: 'wake.hints',
    level: 'must',
    promise: 'wake yields each time that another writer has written to the session.',
    prevents: 'A watcher is told of the first message and never of a later one.',
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
    id: 'wake.processes',
    level: 'must',
    promise: 'wake of a writer yields each time that a writer in another process has written to the session.',
    prevents: 'A user does not see what another instance has stored until the next poll.',
    requires: ['wake', 'shared', 'module'],
    async run(context) {
      const { backend, random } = context
      await withChild(context, async (child) => {
        await child.open()
        const session = new ExpectedSession(random, 'woken')
        await session.grow(child, 1)
        await heard(backend, child, session)
      })
    },
  },
  {
    id: 'wake.readers',
    level: 'must',
    promise: 'wake of a reader yields each time that a writer in another process has written to the session.',
    prevents: 'A viewer does not show what the program has stored until the next poll.',
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

/** Lets `writer` append until `listener` is woken, again and again: a hint at the beginning may be without cause. */
async function heard(listener: Backend, writer: Pick<Backend, 'append'>, session: ExpectedSession): Promise<void> {
  const controller = new AbortController()
  const hints = listener.wake?.(session.key, controller.signal)[Symbol.asyncIterator]()
  let hint: Promise<string | undefined> | undefined
  /** Stays the same until it has been answered: an iterator is not asked twice at once. */
  const next = (): Promise<string | undefined> =>
    (hint ??= hints?.next().then((step) => (step.done === true ? 'ended' : 'woken'))) ?? Promise.resolve(undefined)
  const within = async (waitMs: number): Promise<string | undefined> => {
    const outcome = await Promise.race([next(), patience(waitMs)])
    if (outcome !== undefined) hint = undefined
    return outcome
  }
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      for (let i = 0; i < MOST_HINTS_LEFT && (await within(QUIET_MS)) === 'woken'; i++);
      let outcome: string | undefined
      for (let i = 0; i < MOST_APPENDS && outcome === undefined; i++) {
        await session.grow(writer, 1)
        outcome = await within(PATIENCE_MS)
      }
      if (outcome === 'woken') continue
      throw new AssertionError({
        message: `wake beside ${MOST_APPENDS} appends, for the ${round}. time`,
        expected: 'a hint',
        actual: outcome ?? `nothing within ${(MOST_APPENDS * PATIENCE_MS) / 1000} s`,
      })
    }
  } finally {
    controller.abort()
    await hint?.catch(() => undefined)
  }
}

async function patience(waitMs: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, waitMs))
}

async function drain(backend: Backend, signal: AbortSignal): Promise<void> {
  for await (const _hint of backend.wake?.('some', signal) ?? []);
}
