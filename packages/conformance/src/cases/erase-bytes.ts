import assert from 'node:assert/strict'
import { readFile, truncate } from 'node:fs/promises'

import { isStoreError } from '@turnlog/core/backend'

import type { Case, CaseContext } from '../context/case.ts'
import { withChild } from '../child/with-child.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { filesWith } from '../probe/files-with.ts'
import { Unproven } from '../context/unproven.ts'

/** Processes that are killed, and what each was erasing then: a moment that leaves something behind is short. */
const CYCLES = 6
const AT_ONCE = 2

export const eraseBytesCases: readonly Case[] = [
  {
    id: 'erase.every-byte',
    level: 'must',
    promise:
      'erase removes every byte of a session from the storage, its key as well, also of what was trimmed before.',
    prevents: 'What a user had deleted can still be read from the disk.',
    requires: ['persistent', 'files'],
    async run({ backend, harness, random, directory }) {
      const marker = random.word(24)
      const key = `key-${random.word(24)}`
      const session = new ExpectedSession(random, key)
      const other = new ExpectedSession(random)
      await other.grow(backend, 3)
      for (let i = 0; i < 5; i++) {
        const options = i === 3 ? { trimBefore: 6 } : {}
        await session.grow(backend, 4, { ...options, fields: { marker }, projection: { marker } })
        await other.grow(backend, 2)
      }
      await proveVisible(directory, [marker, key])
      await backend.erase(session.key, session.last)
      assert.deepEqual(await filesWith(directory, marker), [], 'files that still hold what was erased')
      assert.deepEqual(await filesWith(directory, key), [], 'files that still hold the key of what was erased')
      const reopened = await harness.reopen()
      assert.equal(await reopened.head(session.key), undefined)
      assert.deepEqual(await filesWith(directory, marker), [], 'files that hold what was erased, after a reopen')
      assert.deepEqual(
        await filesWith(directory, key),
        [],
        'files that hold the key of what was erased, after a reopen',
      )
      await other.check(reopened)
    },
  },
  {
    id: 'erase.every-byte.set-aside',
    level: 'must',
    promise: 'erase also removes what opening had set aside of a torn tail.',
    prevents: 'What a user had deleted lives on in a file that a repair had put aside.',
    requires: ['persistent', 'files'],
    async run({ backend, harness, random, directory }) {
      const marker = random.word(24)
      const session = new ExpectedSession(random)
      await session.grow(backend, 2, { fields: { marker } })
      await proveVisible(directory, [marker])
      const before = new Map<string, number>()
      for (const file of (await harness.files?.()) ?? []) before.set(file, (await readFile(file)).length)
      await session.grow(backend, 1, { fields: { marker, long: 'x'.repeat(200) } })
      await backend.close()
      for (const file of (await harness.files?.()) ?? []) {
        const { length } = await readFile(file)
        if (length > (before.get(file) ?? 0)) await truncate(file, length - 40)
      }
      try {
        const reopened = await harness.reopen()
        const head = await reopened.head(session.key)
        await reopened.erase(session.key, head?.last ?? 0)
      } catch (error) {
        // A store that refuses to open a torn file has set nothing aside.
        if (!isStoreError(error, 'CORRUPT')) throw error
        return
      }
      assert.deepEqual(await filesWith(directory, marker), [], 'files that still hold what was erased')
    },
  },
  {
    id: 'erase.every-byte.killed',
    level: 'must',
    promise:
      'After a process was killed while it erased a session, erasing it again, at the version that it has then, leaves no byte of it.',
    prevents: 'A crash during a deletion leaves bytes that no later deletion removes.',
    requires: ['persistent', 'durable', 'files', 'module'],
    starts: 'closed',
    timeoutMs: 120_000,
    async run(context) {
      const { harness, random, directory, count } = context
      const other = new ExpectedSession(random)
      let tookMs: number | undefined
      for (let cycle = 0; cycle < count(CYCLES); cycle++) {
        const keys = Array.from({ length: AT_ONCE }, () => random.word(24))
        // The first one may end, so that it is known how long it takes; the others are killed somewhere in between.
        tookMs = await eraseAndKill(context, keys, tookMs)
        const backend = await harness.reopen()
        await other.grow(backend, 2)
        for (const key of keys) {
          await backend.erase(key, (await backend.head(key))?.last ?? 0)
          for (const text of [key, markerOf(key)]) {
            assert.deepEqual(await filesWith(directory, text), [], 'files that still hold what was erased')
          }
          assert.equal(await backend.head(key), undefined)
        }
        await other.check(backend)
        await backend.close()
      }
    },
  },
]

/** Has a child write sessions and erase them; kills it while it does, if it is known how long that takes. */
async function eraseAndKill(
  context: CaseContext,
  keys: readonly string[],
  tookMs: number | undefined,
): Promise<number> {
  const { random, directory } = context
  return withChild(context, async (child) => {
    await child.open()
    const sessions = keys.map((key) => new ExpectedSession(random, key))
    for (let i = 0; i < 3; i++) {
      for (const session of sessions) {
        const marker = markerOf(session.key)
        await session.grow(child, 4, { fields: { marker }, projection: { marker } })
      }
    }
    if (tookMs === undefined) await proveVisible(directory, [...keys, ...keys.map(markerOf)])
    const start = performance.now()
    const erasing = Promise.all(sessions.map(({ key, last }) => child.erase(key, last)))
    if (tookMs === undefined) {
      await erasing
      return performance.now() - start
    }
    erasing.catch(() => undefined) // it ends with the child
    const delayMs = random.next() * tookMs
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    return tookMs
  })
}

/** What the events of a session hold, which is not its key: that may lie in files of its own. */
function markerOf(key: string): string {
  return key.toUpperCase()
}

/** Nothing is known about what is gone where what is there cannot be found either. */
async function proveVisible(directory: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    if ((await filesWith(directory, text)).length > 0) continue
    throw new Unproven('no file holds a stored text as it is: turn compression and encryption off in the target')
  }
}
