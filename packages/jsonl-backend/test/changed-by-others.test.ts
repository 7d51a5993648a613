import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Backend, EventRecord } from '@turnlog/core/backend'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { appendMessages, readAll, scratchDirectory } from './sample.ts'

interface Opened {
  readonly backend: Backend
  readonly directory: string
  readonly file: string
}

/** A store that stays open, with three events in two batches. */
async function openStore(): Promise<Opened> {
  const directory = await scratchDirectory()
  const backend = jsonlBackend({ path: directory })
  await backend.open()
  await appendMessages(backend, 'chat', 0, 1)
  await appendMessages(backend, 'chat', 1, 2)
  return { backend, directory, file: join(directory, 'chat.jsonl') }
}

async function readReversed(backend: Backend): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  for await (const batch of backend.read('chat', [{ from: 1, to: 3 }], { reverse: true })) events.push(...batch)
  return events
}

describe('a file that became shorter while it is open', () => {
  test('is CORRUPT for whoever reads it, forwards and backwards, wherever it was cut', async () => {
    const { backend, file } = await openStore()
    const good = await readFile(file)
    const secondLine = good.indexOf('{"seq":2')
    for (const size of [good.length - 1, secondLine + 20, secondLine, good.indexOf('{"seq":1') + 20, 150, 1, 0]) {
      await truncate(file, size)
      await expect(readAll(backend, 'chat'), `${size} bytes`).rejects.toMatchObject({ code: 'CORRUPT' })
      await expect(readReversed(backend), `${size} bytes`).rejects.toMatchObject({ code: 'CORRUPT' })
    }
    await backend.close()
  })
})
