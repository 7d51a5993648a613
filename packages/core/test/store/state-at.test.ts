import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { expect, test } from 'vitest'
import { backendWith } from './faulty-backend.ts'

const KEY = 'past'

/** A session whose earlier summary has to be searched for; something happens when somebody begins to. */
async function searchedStore(
  meanwhile: (store: SessionStore) => Promise<unknown>,
  lost?: number,
): Promise<{ store: SessionStore; version: number }> {
  let isArmed = false
  const backend = backendWith((inner) => ({
    async *read(session, ranges, options) {
      const isSearch = options?.reverse === true
      if (isArmed && isSearch) {
        isArmed = false
        await meanwhile(store)
      }
      for await (const batch of inner.read(session, ranges, options)) {
        yield batch.filter(({ seq }) => !isSearch || seq !== lost)
      }
    },
  }))
  const store = await openStore(backend)
  for (let i = 0; i < 5; i++) await store.addMessage(KEY, 'user', `early ${i}`)
  await store.setSummary(KEY, 'what was early') // 6
  for (let i = 0; i < 5; i++) await store.addMessage(KEY, 'user', `${i} ${'x'.repeat(3000)}`)
  await store.truncateHistory(KEY, 5)
  const { version } = await store.note(KEY, 'mark', 1)
  await store.setSummary(KEY, 'later')
  isArmed = true
  return { store, version }
}

test.each([
  ['compacted', (store: SessionStore) => store.compact(KEY)],
  ['deleted', (store: SessionStore) => store.deleteSession(KEY)],
  ['erased', (store: SessionStore) => store.deleteSession(KEY, { erase: true })],
])(
  'a fork of a version of a session that is %s meanwhile is TRIMMED, not without its summary',
  async (_, meanwhile) => {
    const { store, version } = await searchedStore(meanwhile)
    await expect(store.fork(KEY, 'copy', { at: version })).rejects.toMatchObject({ code: 'TRIMMED' })
    expect((await store.load('copy')).version).toBe(0)
    await store.close()
  },
)

test('a fork beside nothing of the kind has the summary of its version', async () => {
  const { store, version } = await searchedStore(() => store.note(KEY, 'mark', 2))
  await store.fork(KEY, 'copy', { at: version })
  expect(await store.load('copy')).toMatchObject({ summary: 'what was early', messages: { length: 5 } })
  await store.close()
})

test('a version whose summary the storage has lost is CORRUPT', async () => {
  const { store, version } = await searchedStore(() => Promise.resolve(), 6)
  await expect(store.fork(KEY, 'copy', { at: version })).rejects.toMatchObject({ code: 'CORRUPT', seq: 6 })
  await store.close()
})
