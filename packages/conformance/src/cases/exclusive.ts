import assert from 'node:assert/strict'
import { readdir, symlink, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import type { Case, CaseContext } from '../context/case.ts'
import { ChildBackend } from '../child/child-backend.ts'
import { openInWorker } from '../child/open-in-worker.ts'
import { withChild } from '../child/with-child.ts'
import { checkCompetition } from '../probe/check-competition.ts'
import { readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { operations } from '../probe/operations.ts'
import { rejects } from '../probe/rejects.ts'
import { secondOf } from '../probe/second-of.ts'

/** Long enough for the process to stand; the files are made to look as if it had been an hour. */
const STALL_MS = 50
/** Longer than the ten seconds after which the usual lease, with its time inside the file, is taken for abandoned. */
const STALL_MS_THOROUGH = 15_000
const HOUR_MS = 3_600_000

export const exclusiveCases: readonly Case[] = [
  refused('same-process', 'by a second backend in the same process', async ({ harness }) => {
    const second = await secondOf(harness)
    await rejects('LOCKED', 'a second open in the same process', () => second.open())
    await second.close() // closing what was refused must not release what the owner holds
  }),
  refused('other-spelling', 'by another spelling of the path', async ({ harness, directory }) => {
    const spellings = [
      `${directory}/`,
      `${dirname(directory)}/./${basename(directory)}`,
      `${directory}/../${basename(directory)}`,
    ]
    for (const path of spellings) {
      const second = await secondOf(harness, path)
      await rejects('LOCKED', `an open of ${path}`, () => second.open())
    }
  }),
  refused('symlink', 'through a symbolic link', async ({ harness, directory, root }) => {
    const path = join(root, 'link')
    await symlink(directory, path, 'dir')
    const second = await secondOf(harness, path)
    await rejects('LOCKED', 'an open through a link', () => second.open())
  }),
  refused('worker', 'from a worker thread', async ({ target, directory }) => {
    assert.equal(await openInWorker(target.module ?? '', directory), 'LOCKED')
  }),
  refused('process', 'from another process', async (context) => {
    await withChild(context, async (child) => {
      for (let i = 0; i < 3; i++) await rejects('LOCKED', 'an open in another process', () => child.open())
      await child.end() // what was refused must not tidy up at its exit what it never had
    })
  }),
  {
    id: 'exclusive.failed-open',
    level: 'must',
    promise:
      'A refused open leaves the backend closed, releases everything, and may be repeated when the owner has closed.',
    prevents: 'A program that was refused once can never open the store, or disturbs its owner.',
    requires: ['persistent', 'second'],
    unless: ['shared'],
    async run({ backend, harness, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      const second = await secondOf(harness)
      for (let i = 0; i < 3; i++) await rejects('LOCKED', 'a second open', () => second.open())
      for (const { name, run } of operations(second)) await rejects('CLOSED', `${name} after a failed open`, run)
      await backend.close()
      await second.open()
      await session.check(second)
      await session.grow(second, 2)
      await rejects('LOCKED', 'an open of the former owner', () => backend.open())
      await second.close()
      await backend.open()
      await session.check(backend)
    },
  },
  {
    id: 'exclusive.released-by-close',
    level: 'must',
    promise: 'close releases the store: another process can then open it, and write.',
    prevents: 'A store stays locked after its program has ended.',
    requires: ['persistent', 'module'],
    unless: ['shared'],
    async run(context) {
      const { backend, random } = context
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await backend.close()
      await withChild(context, async (child) => {
        await child.open()
        const events = session.next(2)
        await child.append(session.key, session.expected, events, 'from the child')
        session.accept(events, 'from the child')
        await rejects('LOCKED', 'an open while the child owns the store', () => backend.open())
        await child.close()
      })
      await backend.open()
      await session.check(backend)
    },
  },
  {
    id: 'exclusive.released-by-death',
    level: 'must',
    promise: 'The store of a process that was killed can be opened again.',
    prevents: 'A store stays locked after a crash until somebody deletes a file.',
    requires: ['persistent', 'module'],
    unless: ['shared'],
    starts: 'closed',
    async run(context) {
      const { backend, random } = context
      const session = new ExpectedSession(random)
      await withChild(context, async (child) => {
        await child.open()
        await child.close()
        await child.open()
      })
      await backend.open()
      await session.grow(backend, 2)
      await session.check(backend)
    },
  },
  {
    id: 'exclusive.stalled-owner',
    level: 'must',
    promise:
      'An owner that stands still, as a stopped process does, keeps the store: a second open is LOCKED however long ago it last gave a sign of incarnation.',
    prevents: 'A laptop that slept, or a process that was stopped, comes back as a second writer.',
    requires: ['persistent', 'module', 'signals'],
    unless: ['shared'],
    starts: 'closed',
    async run(context) {
      const { backend, directory, random, thorough } = context
      const session = new ExpectedSession(random)
      await withChild(context, async (child) => {
        await child.open()
        await session.grow(child, 2)
        child.stop()
        await new Promise((resolve) => setTimeout(resolve, thorough ? STALL_MS_THOROUGH : STALL_MS))
        await age(directory)
        await rejects('LOCKED', 'an open while the owner stands still', () => backend.open())
        child.resume()
        await session.grow(child, 2)
        await rejects('LOCKED', 'an open after the owner has gone on', () => backend.open())
      })
      await backend.open()
      await session.check(backend)
    },
  },
  {
    id: 'exclusive.turns',
    level: 'must',
    promise:
      'Processes that take turns, each opening, appending and closing as soon as it is let in, lose and double nothing.',
    prevents: 'Two programs own the store at once when one takes over from the other.',
    requires: ['persistent', 'module'],
    unless: ['shared'],
    starts: 'closed',
    async run({ backend, target, directory, count }) {
      const each = count(15)
      const writers = ['ada', 'ben', 'eve']
      const children = writers.map((writer) => ({ writer, child: new ChildBackend(target.module ?? '', directory) }))
      try {
        await Promise.all(children.map(({ writer, child }) => child.takeTurns('contested', writer, each)))
      } finally {
        for (const { child } of children) await child.kill()
      }
      await backend.open()
      checkCompetition(await readAll(backend, 'contested'), writers, each)
    },
  },
]

/** The owner has the store open; `attempt` must be refused, and must leave the owner protected. */
function refused(name: string, how: string, attempt: (context: CaseContext) => Promise<void>): Case {
  return {
    id: `exclusive.${name}`,
    level: 'must',
    promise: `A second open ${how} is LOCKED, and the refusal leaves the owner protected: other processes are still refused, the owner's appends are kept.`,
    prevents: `Two writers that do not know of each other destroy the store: one came in ${how}.`,
    requires: ['persistent', 'second', 'module'],
    unless: ['shared'],
    async run(context) {
      const { backend, harness, random } = context
      const session = new ExpectedSession(random)
      await session.grow(backend, 2)
      await attempt(context)
      await withChild(context, async (child) => {
        await rejects('LOCKED', `an open in another process after a refused open ${how}`, () => child.open())
      })
      await session.grow(backend, 2)
      await attempt(context).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error // the link is there already
      })
      await session.grow(backend, 2)
      await session.check(await harness.reopen())
    },
  }
}

/** Sets the times of all files back, so that a lock that is a lease looks as if it had not been renewed for long. */
async function age(directory: string): Promise<void> {
  const past = new Date(Date.now() - HOUR_MS)
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), past, past)
  }
}
