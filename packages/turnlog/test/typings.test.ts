import { isStoreError, memoryBackend, openStore, StoreError } from 'turnlog'
import type { SessionEvent, StoreConfig, StoreErrorCode } from 'turnlog'
import { expect, test } from 'vitest'

// What matters here is that it type-checks, and that each marked line does not.
test('the options of both backends are typed where only turnlog is imported', () => {
  const accepted: StoreConfig[] = [
    { path: './data', backendOptions: { cacheBytes: 1024 } },
    { backend: 'leveldb', path: './data', backendOptions: { compression: false } },
    { backend: 'jsonl', path: './data', backendOptions: { maxOpenFiles: 3 } },
  ]
  const refused: StoreConfig[] = [
    // @ts-expect-error -- misspelt
    { path: './data', backendOptions: { cacheBtyes: 1024 } },
    // @ts-expect-error -- misspelt
    { backend: 'leveldb', path: './data', backendOptions: { compresion: false } },
    // @ts-expect-error -- no number
    { backend: 'jsonl', path: './data', backendOptions: { maxOpenFiles: 'three' } },
    // @ts-expect-error -- an option of the other one
    { backend: 'jsonl', path: './data', backendOptions: { cacheBytes: 1024 } },
  ]
  expect([accepted.length, refused.length]).toEqual([3, 4])
})

test('the type of an event tells the compiler what is in it', async () => {
  const textOf = (event: SessionEvent<{ role: string; content: string }>): string => {
    if (event.type === 'MessageAdded') return event.message.content
    switch (event.type) {
      case 'SummarySet':
        return event.summary
      case 'Truncated':
        return `${event.view.length} runs`
      default:
        return event.type
    }
  }
  const store = await openStore<{ role: string; content: string }>(memoryBackend())
  await store.addMessage('k', { role: 'user', content: 'a' })
  await store.setSummary('k', 'b')
  await store.truncateHistory('k', 0)
  const texts: string[] = []
  for await (const event of store.events('k')) texts.push(textOf(event))
  expect(texts).toEqual(['a', 'b', '0 runs'])
})

test('asking for the code of an error tells the compiler which it is', () => {
  const codeOf = (error: unknown): StoreErrorCode | 'other' => {
    if (isStoreError(error, 'CONFLICT')) {
      const code: 'CONFLICT' = error.code
      return code
    }
    return isStoreError(error) ? error.code : 'other'
  }
  expect([new StoreError('CONFLICT', ''), new StoreError('IO', ''), 3].map(codeOf)).toEqual(['CONFLICT', 'IO', 'other'])
})
