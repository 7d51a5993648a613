import { fuzzRuns, mutatedBytes, mutatedText, SECRET, tellsSecret } from '@turnlog/conformance/fuzz'
import { assert, asyncProperty, nat } from 'fast-check'
import { expect, test } from 'vitest'

import { exportSessions, importSessions, isStoreError, memoryBackend, openStore, parseStoreString } from 'turnlog'
import type { StoreConfig } from 'turnlog'

const { numRuns, timeoutMs } = fuzzRuns()
const imports = fuzzRuns(0.2)

/** A refusal must be a `StoreError` that tells nothing of what a user said. */
async function refusable(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    expect(isStoreError(error), String(error)).toBe(true)
    expect(tellsSecret(error)).toBe(false)
  }
}

test(
  'any text is a store string or is refused',
  async () => {
    const strings = ['leveldb:./data?durability=os', 'jsonl:./x', './data', 'C:\\data', 'memory:', 'a-b:c?x=1&y=2']
    await assert(
      asyncProperty(mutatedText(strings), (text) => refusable(() => parseStoreString(text))),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'any text is the key of a session of its own or is refused',
  async () => {
    const store = await openStore({ backend: memoryBackend() })
    await store.addMessage('mine', 'user', SECRET)
    await assert(
      asyncProperty(mutatedText(['telegram:42', 'a/b', 'ü', '日本:1', 'x'.repeat(511)]), (key) =>
        refusable(async () => expect((await store.load(key)).version).toBe(key === 'mine' ? 1 : 0)),
      ),
      { numRuns },
    )
    await store.close()
  },
  timeoutMs,
)

test(
  'any JSON is a configuration or is refused',
  async () => {
    const configs: readonly unknown[] = [
      { backend: 'leveldb', path: './nowhere', durability: 'sync', viewCacheBytes: 1 },
      { backend: 'none-such', limits: { maxMessageBytes: 5 }, toolLinks: 1 },
      { path: '', clock: {}, onWarning: null, readOnly: 'yes' },
    ]
    await assert(
      asyncProperty(mutatedText(configs.map((config) => JSON.stringify(config))), async (text) => {
        let config: unknown
        try {
          config = JSON.parse(text)
        } catch {
          return // no JSON, so no configuration
        }
        // A backend that does not exist, so that no input touches the disk.
        const harmless = typeof config === 'object' && config !== null ? { ...config, backend: 'none-such' } : 17
        await refusable(async () => (await openStore(harmless as unknown as StoreConfig)).close())
      }),
      { numRuns: imports.numRuns },
    )
  },
  imports.timeoutMs,
)

test(
  'any bytes are an import or are refused, in pieces of any size',
  async () => {
    const store = await openStore({ backend: memoryBackend() })
    await store.addMessages('mine', [
      { role: 'user', content: SECRET },
      { role: 'assistant', content: [{ type: 'text', text: SECRET }] },
    ])
    await store.setSummary('mine', SECRET)
    await store.truncateHistory('mine', 1)
    const lines: string[] = []
    for await (const line of exportSessions(store)) lines.push(line)
    await store.close()
    await assert(
      asyncProperty(mutatedBytes([Buffer.from(lines.join(''))]), nat({ max: 399 }), async (bytes, size) => {
        const target = memoryBackend()
        await target.open()
        await refusable(() => importSessions(target, pieces(bytes, size + 1)))
        await target.close()
      }),
      { numRuns: imports.numRuns },
    )
  },
  imports.timeoutMs,
)

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
