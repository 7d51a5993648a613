import { AssertionError } from 'node:assert'

import type { Backend } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { withChild } from '../child/with-child.ts'
import { checkResources } from '../probe/check-resources.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { rejects } from '../probe/rejects.ts'
import { resourcesInUse } from '../probe/resources.ts'
import { secondOf } from '../probe/second-of.ts'
import { settled } from '../probe/settled.ts'
import type { Random } from '../context/random.ts'

/** A hint may be slow and a watch may begin late, so that the writer writes again until it is heard. */
const MAX_WRITES = 20
const PATIENCE_MS = 300
const LONG_PATIENCE_MS = 800

/** Hints that are wanted, each after what came before has been drained until it was quiet. */
const ROUNDS = 3
const QUIET_MS = 50
const MAX_HINTS_LEFT = 20
const WATCH_SLACK = 2

type Writer = Pick<Backend, 'append' | 'erase'>

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
    timeoutMs: 15_000,
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
    id: 'wake.reopened',
    level: 'must',
    promise:
      'A wake that waits across a close and an open ends, by an end or by CLOSED, although the backend is open again.',
    prevents: 'A watch of a store that was closed hangs, or watches the store that was opened after it.',
    requires: ['wake'],
    timeoutMs: 15_000,
    async run({ backend }) {
      const waiting = settled(drain(backend, new AbortController().signal))
      await new Promise(setImmediate) // it waits now
      await backend.close()
      await backend.open()
      const outcome = await waiting
      try {
        outcome()
      } catch (error) {
        await rejects('CLOSED', 'a wake across close and open', () => Promise.reject(error))
      }
    },
  },
  {
    id: 'wake.leaves-nothing',
    level: 'must',
    promise:
      'wake leaves no timer, handle, descriptor or thread behind, whether it ends by its signal, by being left or by close.',
    prevents: 'A program cannot end, or slows down, because of conversations that it watched long ago.',
    requires: ['wake'],
    async run({ backend, count }) {
      await watchAndEnd(backend, 'signal') // what the first one sets up for all may stay until close
      const before = await resourcesInUse()
      for (let i = 0; i < count(20); i++) await watchAndEnd(backend, i % 2 === 0 ? 'signal' : 'return')
      await checkResources(before, WATCH_SLACK, `${count(20)} watches that ended`)
      await backend.close()
      const closed = await resourcesInUse()
      for (let i = 0; i < count(5); i++) {
        await backend.open()
        await watchAndEnd(backend, 'close')
      }
      await checkResources(closed, WATCH_SLACK, `${count(5)} watches that ended by a close`)
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
  {
    id: 'wake.every-write',
    level: 'must',
    promise:
      'An erase by another writer wakes as well as an append does, and so do a trim and an event that is no message.',
    prevents: 'A viewer goes on showing a conversation that was deleted or shortened elsewhere.',
    requires: ['wake', 'shared', 'second'],
    async run({ backend, harness, random }) {
      const other = await secondOf(harness)
      await other.open()
      await heardOfEveryWrite(backend, other, random)
    },
  },
  {
    id: 'wake.every-write.readers',
    level: 'must',
    promise:
      'An erase by a writer in another process wakes a reader as well as an append does, and so do a trim and an event that is no message.',
    prevents: 'A viewer goes on showing a conversation that was deleted or shortened by its program.',
    requires: ['wake', 'persistent', 'concurrentReaders', 'module'],
    starts: 'closed',
    async run(context) {
      await withChild(context, async (child) => {
        await child.open()
        await context.backend.open({ readOnly: true })
        await heardOfEveryWrite(context.backend, child, context.random)
      })
    },
  },
]

/** Starts a watch, lets it wait, and ends it in one of three ways. */
async function watchAndEnd(backend: Backend, how: 'signal' | 'return' | 'close'): Promise<void> {
  const controller = new AbortController()
  const hints = backend.wake?.('some', controller.signal)[Symbol.asyncIterator]()
  const step = settled(Promise.resolve(hints?.next()))
  await new Promise(setImmediate) // it waits now
  if (how === 'close') await backend.close()
  else controller.abort()
  await step
  if (how === 'return') await hints?.return?.()
}

/** Writes of a kind that a backend may forget to tell of. Each needs a session of several events. */
const OTHER_WRITES: Readonly<Record<string, (writer: Writer, session: ExpectedSession) => Promise<void>>> = {
  'an erase': (writer, session) => writer.erase(session.key, session.last),
  'a trim of everything': (writer, session) => session.grow(writer, 1, { trimBefore: session.last + 2 }),
  'an event that is no message': (writer, session) =>
    session.append(
      writer,
      [{ seq: session.last + 1, id: 'title', type: 'MetadataSet', v: 1, at: 1 }],
      session.projection,
    ),
}

/** Asserts that each kind of write wakes the listener, after what came before has been drained. */
async function heardOfEveryWrite(listener: Backend, writer: Writer, random: Random): Promise<void> {
  for (const [name, write] of Object.entries(OTHER_WRITES)) {
    const key = `woken by ${name}`
    let session = new ExpectedSession(random, key)
    const prepare = async (): Promise<void> => {
      if (name === 'an erase') session = new ExpectedSession(random, key)
      await session.grow(writer, 2)
    }
    await prepare()
    await hear(listener, key, {
      rounds: 1,
      tries: 3,
      patienceMs: LONG_PATIENCE_MS,
      name,
      prepare,
      write: () => write(writer, session),
    })
  }
}

/** Asserts that appends wake the listener, again and again. */
async function heard(listener: Backend, writer: Writer, session: ExpectedSession): Promise<void> {
  await hear(listener, session.key, {
    rounds: ROUNDS,
    tries: MAX_WRITES,
    patienceMs: PATIENCE_MS,
    name: 'an append',
    prepare: () => Promise.resolve(),
    write: () => session.grow(writer, 1),
  })
}

interface Writes {
  readonly rounds: number
  /** Writes in one round until a hint must have come, and how long is waited for it after each. */
  readonly tries: number
  readonly patienceMs: number
  readonly name: string
  /** Done before a write is repeated; its hint is waited for first. */
  readonly prepare: () => Promise<void>
  readonly write: () => Promise<void>
}

/** Writes until the listener is woken, in each round: a hint at the beginning may be without cause. */
async function hear(listener: Backend, key: string, writes: Writes): Promise<void> {
  const { rounds, tries, patienceMs, name, prepare, write } = writes
  const controller = new AbortController()
  const hints = listener.wake?.(key, controller.signal)[Symbol.asyncIterator]()
  let hint: Promise<string | undefined> | undefined
  /** Stays the same until it has been answered: an iterator is not asked twice at once. */
  const next = (): Promise<string | undefined> =>
    (hint ??= hints?.next().then((step) => (step.done === true ? 'ended' : 'woken'))) ?? Promise.resolve(undefined)
  const within = async (waitMs: number): Promise<string | undefined> => {
    const outcome = await Promise.race([next(), patience(waitMs)])
    if (outcome !== undefined) hint = undefined
    return outcome
  }
  const quiet = async (): Promise<void> => {
    for (let i = 0; i < MAX_HINTS_LEFT && (await within(QUIET_MS)) === 'woken'; i++);
  }
  try {
    for (let round = 1; round <= rounds; round++) {
      await quiet()
      let outcome: string | undefined
      for (let i = 0; i < tries && outcome === undefined; i++) {
        if (i > 0) {
          await prepare()
          await within(patienceMs)
          await quiet()
        }
        await write()
        outcome = await within(patienceMs)
      }
      if (outcome === 'woken') continue
      throw new AssertionError({
        message: `wake beside ${name}, tried ${tries} times, for the ${round}. time`,
        expected: 'a hint',
        actual: outcome ?? `nothing within ${(tries * patienceMs) / 1000} s`,
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
