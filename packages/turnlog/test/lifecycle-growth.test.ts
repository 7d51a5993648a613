import type { Message, SessionStore } from '@turnlog/core'
import { expect, test } from 'vitest'

import type { BackendName } from './lifecycle-backends.ts'
import { bytesIn, inDirectory, openIn, WRITE_BUFFER_BYTES } from './lifecycle-backends.ts'

/** A tenth of what is promised, unless asked for: 10 for all of it. */
const SCALE = Number(process.env['GROWTH_SCALE'] ?? 1)

const KEY = 'telegram:1'

/** All that LevelDB is given stays in its log, so that the size of the files is what was written. */
const LARGE_BUFFER_BYTES = 256 * 1024 * 1024

const BACKENDS: readonly BackendName[] = ['leveldb', 'jsonl']

let counter = 0

/** About 1 KB of text that does not repeat itself. */
function message(): Message {
  counter++
  const words = Array.from({ length: 120 }, (_, i) => ((counter * 7919 + i * 104_729) % 1_000_003).toString(36))
  return { role: counter % 2 === 0 ? 'assistant' : 'user', content: words.join(' ').padEnd(950, '.') }
}

function messages(count: number): Message[] {
  return Array.from({ length: count }, message)
}

function textBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

async function summarise(store: SessionStore, keep: number, summary: string): Promise<void> {
  const { positions, version } = await store.load(KEY)
  const through = positions[positions.length - keep - 1]
  if (through !== undefined) await store.summarize(KEY, { summary, through, version })
}

test.each(BACKENDS)(
  '%s: rounds of append, summarise and truncate leave files in proportion to what is live',
  async (name) => {
    await inDirectory(async (path) => {
      const store = await openIn(name, path, { retention: { removedEventsForMs: 0 } })
      let written = 0
      for (let round = 1; round <= 100 * SCALE; round++) {
        const added = messages(20)
        written += textBytes(added)
        await store.addMessages(KEY, added)
        await summarise(store, 30, `Summary ${round}: ${'they went on talking. '.repeat(20)}`)
        await store.truncateHistory(KEY, 20)
        if (round % 10 === 0) await store.sweep()
      }
      const live = textBytes(await store.getHistory(KEY)) + textBytes(await store.getSummary(KEY))
      await store.close()
      const bytes = await bytesIn(path)
      console.log(`${name}: ${bytes} bytes of files for ${live} live bytes, after ${written} bytes were written`)
      expect(bytes).toBeLessThan(3 * live + 2 * WRITE_BUFFER_BYTES[name])
      const again = await openIn(name, path)
      expect(await again.getHistory(KEY)).toHaveLength(20)
      expect(await again.verify()).toMatchObject({ ok: true })
      await again.close()
    })
  },
)

test.each(BACKENDS)('%s: setHistory with one more message writes little more than that message', async (name) => {
  await inDirectory(async (path) => {
    const store = await openIn(name, path, { writeBufferBytes: LARGE_BUFFER_BYTES })
    const history = messages(500)
    await store.setHistory(KEY, history)
    const before = await bytesIn(path)
    let added = 0
    for (let i = 0; i < 100 * SCALE; i++) {
      const one = message()
      added += textBytes(one)
      history.push(one)
      await store.setHistory(KEY, history)
    }
    const written = (await bytesIn(path)) - before
    console.log(`${name}: ${written} bytes written for ${added} bytes of messages added`)
    expect(written).toBeLessThan(3 * added)
    expect(await store.getHistory(KEY)).toEqual(history)
    await store.close()
  })
})

test.each(BACKENDS)('%s: a summary of part of 1,000 messages costs what the summary does', async (name) => {
  await inDirectory(async (path) => {
    const store = await openIn(name, path, { writeBufferBytes: LARGE_BUFFER_BYTES })
    await store.addMessages(KEY, messages(1000))
    const summary = 'They went on talking. '.repeat(50)
    const before = await bytesIn(path)
    const rounds = 200
    for (let round = 1; round <= rounds; round++) await summarise(store, 1000 - round, `${round}: ${summary}`)
    const each = ((await bytesIn(path)) - before) / rounds
    console.log(`${name}: ${Math.round(each)} bytes for each summary of ${summary.length} bytes`)
    expect(each).toBeLessThan(3 * summary.length)
    await store.close()
  })
})
