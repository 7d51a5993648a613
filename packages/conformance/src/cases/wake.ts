import assert from 'node:assert/strict'
import type { Backend } from '@turnlog/core/backend'
import type { Case } from '../case.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { secondOf } from '../probe/second-of.ts'

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
      const controller = new AbortController()
      const hints = backend.wake?.('woken', controller.signal)[Symbol.asyncIterator]()
      const hint = hints?.next()
      await session.grow(other, 1)
      const step = await hint
      controller.abort()
      assert.equal(step?.done, false)
    },
  },
]

async function drain(backend: Backend, signal: AbortSignal): Promise<void> {
  for await (const _hint of backend.wake?.('some', signal) ?? []);
}
