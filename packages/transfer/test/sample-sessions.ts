import type { Backend, SessionHead } from '@turnlog/core/backend'
import { openStore } from '@turnlog/core'

/** Fills an open backend with sessions of every kind: long, cut, compacted, deleted, forked, with odd contents. */
export async function fillWithSamples(backend: Backend): Promise<void> {
  const store = await openStore({ backend, clock: { now: () => 1_700_000_000_000 } })
  await store.addMessage('plain', 'user', 'hello')
  await store.addMessage('odd', { role: 'user', content: 'lone \ud800 \u2028 \0', ['__proto__']: { a: 1 } })
  for (let i = 0; i < 30; i++) await store.addMessage('cut', 'user', `message ${i}`, { operationId: `op ${i}` })
  await store.setSummary('cut', 'everything before')
  await store.truncateHistory('cut', 5)
  await store.fork('cut', 'forked')
  await store.setMetadata('cut', { owner: 'somebody' })
  for (let i = 0; i < 40; i++) await store.addMessage('compacted', 'user', `message ${i}`)
  await store.summarize('compacted', { summary: 'short', through: 30, version: 40 })
  await store.compact('compacted')
  await store.addMessage('compacted', 'user', 'after')
  await store.note('compacted', 'usage', { tokens: 12, by: 'a model' })
  await store.addMessage('deleted', 'user', 'gone')
  await store.deleteSession('deleted', { reason: 'asked for' })
}

export interface Copied {
  readonly head: Omit<SessionHead, 'bytes'>
  readonly events: readonly object[]
}

/** Everything that a backend holds, but for the sizes, which are its own. */
export async function contentsOf(backend: Backend): Promise<Copied[]> {
  const contents: Copied[] = []
  for await (const batch of backend.list()) {
    for (const { bytes: _bytes, ...head } of batch) {
      const events: object[] = []
      for await (const part of backend.read(head.session, [{ from: 1, to: head.last }])) events.push(...part)
      contents.push({ head, events })
    }
  }
  return contents
}

/** The text of everything, in which the order of fields counts as well. */
export async function textOf(backend: Backend): Promise<string> {
  return JSON.stringify(await contentsOf(backend))
}
