import { join } from 'node:path'

import type { Case } from '../context/case.ts'
import { checkResources } from '../probe/check-resources.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { rejects } from '../probe/rejects.ts'
import { resourcesInUse } from '../probe/resources.ts'
import { secondOf } from '../probe/second-of.ts'

const OPENS = 100
const FAILED_OPENS = 40
/** A pool may keep a few things for the whole process, however often a store is opened. */
const SLACK = 8

export const resourceCases: readonly Case[] = [
  {
    id: 'lifecycle.resources',
    level: 'must',
    promise:
      'A hundred opens and closes, with reads and writes between them, leave no descriptor, handle or thread behind.',
    prevents: 'A server that opens stores on demand runs out of files, memory or threads.',
    async run({ backend, random, count }) {
      const use = async (): Promise<void> => {
        const session = new ExpectedSession(random)
        await session.grow(backend, 1)
        await session.check(backend)
        await backend.close()
      }
      await use()
      const before = await resourcesInUse()
      for (let i = 0; i < count(OPENS); i++) {
        await backend.open()
        if (i % 10 === 0) await use()
        else await backend.close()
      }
      await checkResources(before, SLACK, `${count(OPENS)} opens and closes`)
    },
  },
  {
    id: 'lifecycle.open.fails-again',
    level: 'must',
    promise:
      'An open that fails may be repeated as it is, without a close, leaves nothing behind, and succeeds when the reason is gone.',
    prevents: 'A program that starts before its store is there can never open it, or runs out of files while it tries.',
    requires: ['persistent', 'second', 'files'],
    async run({ harness, root, random, count }) {
      const path = join(root, 'later')
      const reader = await secondOf(harness, path)
      const fail = (): Promise<unknown> =>
        rejects('NOT_FOUND', 'a read-only open of nothing', () => reader.open({ readOnly: true }))
      await fail()
      const before = await resourcesInUse()
      for (let i = 0; i < count(FAILED_OPENS); i++) await fail()
      await rejects('CLOSED', 'head after a failed open', () => reader.head('some'))
      await checkResources(before, SLACK, `${count(FAILED_OPENS)} opens that failed`)
      const session = new ExpectedSession(random)
      const writer = await secondOf(harness, path)
      await writer.open()
      await session.grow(writer, 2)
      await writer.close()
      await reader.open({ readOnly: true })
      await session.check(reader)
      await reader.close()
    },
  },
  {
    id: 'exclusive.refused.resources',
    level: 'must',
    promise:
      'An open that is refused as LOCKED, again and again without a close, leaves no descriptor, handle or thread behind.',
    prevents: 'A program that waits for a store to become free runs out of files while it waits.',
    requires: ['persistent', 'second'],
    unless: ['shared'],
    async run({ harness, count }) {
      const second = await secondOf(harness)
      const fail = (): Promise<unknown> => rejects('LOCKED', 'a second open', () => second.open())
      await fail()
      const before = await resourcesInUse()
      for (let i = 0; i < count(FAILED_OPENS); i++) await fail()
      await checkResources(before, SLACK, `${count(FAILED_OPENS)} opens that were refused`)
    },
  },
]
