import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { withChild } from '../child/with-child.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { filesWith } from '../probe/files-with.ts'
import type { Random } from '../context/random.ts'
import { Unproven } from '../context/unproven.ts'

/** Enough, in sizes uneven enough, to split the pages of a tree and to leave free ones. */
const SESSIONS = 32
const ERASED = 10
const ROUNDS = 12
const MAX_TEXT = 2500

/** Sessions that are erased one after the other while another process reads all of them. */
const READ_MEANWHILE = 4

export const eraseLargeCases: readonly Case[] = [
  {
    id: 'erase.every-byte.large',
    level: 'must',
    promise:
      'erase removes every byte of a session also where many sessions of uneven sizes have grown beside each other.',
    prevents: 'What a user had deleted can still be read in a page that the storage split or gave free.',
    requires: ['persistent', 'files'],
    async run({ backend, harness, random, directory }) {
      const sessions = Array.from({ length: SESSIONS }, () => marked(random))
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(random.shuffle(sessions).map((one) => growMarked(one, backend, random, round === 6)))
      }
      const [gone, left] = [sessions.slice(0, ERASED), sessions.slice(ERASED)]
      await proveVisible(directory, gone)
      for (const { session } of gone) await backend.erase(session.key, session.last)
      const traces = gone.flatMap(({ session, marker }) => [session.key, marker])
      assert.deepEqual(await filesWith(directory, ...traces), [], 'files that still hold what was erased')
      const reopened = await harness.reopen()
      for (const { session } of left.slice(0, ERASED)) await session.check(reopened)
    },
  },
  {
    id: 'erase.every-byte.beside-reader',
    level: 'must',
    promise: 'erase removes every byte of a session also while another process has the store open and reads.',
    prevents: 'What a user had deleted stays on the disk because somebody happened to look.',
    requires: ['persistent', 'files', 'outsideReaders', 'module'],
    async run(context) {
      const { backend, capabilities, directory, random } = context
      const sessions = Array.from({ length: READ_MEANWHILE }, () => marked(random))
      for (const one of sessions) {
        for (let round = 0; round < ROUNDS; round++) await growMarked(one, backend, random, false, 20)
      }
      await proveVisible(directory, sessions)
      await withChild(context, async (child) => {
        await child.open(capabilities.concurrentReaders ? { readOnly: true } : {})
        const watching = child.watch(sessions.map(({ session }) => session.key))
        for (const { session, marker } of sessions) {
          await backend.erase(session.key, session.last)
          const traces = await filesWith(directory, session.key, marker)
          assert.deepEqual(traces, [], 'files that still hold what was erased beside a reader')
        }
        await child.rest()
        assert.ok((await watching) > 0, 'the reader has read')
      })
    },
  },
]

interface Marked {
  readonly session: ExpectedSession
  /** In each event and projection of the session. */
  readonly marker: string
}

function marked(random: Random): Marked {
  return { session: new ExpectedSession(random, `key-${random.word(20)}`), marker: random.word(24) }
}

async function growMarked(
  { session, marker }: Marked,
  backend: Backend,
  random: Random,
  isTrimmed: boolean,
  count: number = random.integer(1, 3),
): Promise<void> {
  const fields = { marker, text: random.word(8).repeat(random.integer(1, MAX_TEXT / 8)) }
  const trim = isTrimmed ? { trimBefore: Math.max(1, session.last - 3) } : {}
  await session.grow(backend, count, { fields, projection: { marker }, ...trim })
}

/** Nothing is known about what is gone where what is there cannot be found either. */
async function proveVisible(directory: string, sessions: readonly Marked[]): Promise<void> {
  for (const { session, marker } of sessions) {
    for (const text of [session.key, marker]) {
      if ((await filesWith(directory, text)).length > 0) continue
      throw new Unproven('no file holds a stored text as it is: turn compression and encryption off in the target')
    }
  }
}
