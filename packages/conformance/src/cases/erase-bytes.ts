import assert from 'node:assert/strict'
import { readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { isStoreError } from '@turnlog/core/backend'
import type { Case, CaseContext } from '../case.ts'
import { withChild } from '../child/with-child.ts'
import { ExpectedSession } from '../probe/expected-session.ts'

export const eraseBytesCases: readonly Case[] = [
  {
    id: 'erase.every-byte',
    level: 'must',
    promise:
      'erase removes every byte of a session from the storage, its key as well, also of what was trimmed before.',
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
    requires: ['persistent', 'files'],
    async run({ backend, harness, random, directory }) {
      const marker = random.word(24)
      const session = new ExpectedSession(random)
      await session.grow(backend, 2, { fields: { marker } })
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
    requires: ['persistent', 'durable', 'files', 'module'],
    starts: 'closed',
    timeoutMs: 120_000,
    async run(context) {
      const { harness, random, directory, count } = context
      const other = new ExpectedSession(random)
      let tookMs: number | undefined
      for (let cycle = 0; cycle < count(5); cycle++) {
        const marker = random.word(24)
        // The first one may end, so that it is known how long it takes; the others are killed somewhere in between.
        tookMs = await eraseAndKill(context, marker, tookMs)
        const backend = await harness.reopen()
        await other.grow(backend, 2)
        await backend.erase(marker, (await backend.head(marker))?.last ?? 0)
        assert.deepEqual(await filesWith(directory, marker), [], 'files that still hold what was erased')
        assert.equal(await backend.head(marker), undefined)
        await other.check(backend)
        await backend.close()
      }
    },
  },
]

/** Has a child write a session and erase it; kills it while it does, if it is known how long that takes. */
async function eraseAndKill(context: CaseContext, key: string, tookMs: number | undefined): Promise<number> {
  const { random } = context
  return withChild(context, async (child) => {
    await child.open()
    const session = new ExpectedSession(random, key)
    for (let i = 0; i < 3; i++) {
      const events = session.next(4, { marker: key })
      await child.append(key, session.expected, events, { marker: key })
      session.accept(events, null)
    }
    const start = performance.now()
    const erasing = child.erase(key, session.last)
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

/** The files that hold a text, or have it in their name. */
async function filesWith(directory: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const content = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0)) // gone meanwhile
    if (content.includes(text) || entry.name.includes(text)) found.push(entry.name)
  }
  return found
}
