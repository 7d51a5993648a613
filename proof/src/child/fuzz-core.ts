import { openStore, parseStoreString } from '@turnlog/core'
import type { StoreConfig } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { exportSessions, importSessions } from '@turnlog/core/transfer'

import type { FuzzTarget } from './fuzz-target.ts'
import { SECRET } from './fuzz-target.ts'
import { mutateBytes, mutateText } from './mutate.ts'

const STRINGS = ['leveldb:./data?durability=os', 'jsonl:./x', './data', 'C:\\data', 'memory:', 'a-b:c?x=1&y=2']
const KEYS = ['telegram:42', 'a/b', 'ü', '日本:1', 'x'.repeat(511)]
const CONFIGS: readonly unknown[] = [
  { backend: 'leveldb', path: './nowhere', durability: 'sync', viewCacheBytes: 1 },
  { backend: 'none-such', limits: { maxMessageBytes: 5 }, toolLinks: 1 },
  { path: '', clock: {}, onWarning: null, readOnly: 'yes' },
]

/** What a user's configuration, keys and import files reach. */
export async function coreTargets(): Promise<readonly FuzzTarget[]> {
  const store = await openStore({ backend: memoryBackend() })
  await store.addMessage('mine', 'user', SECRET)
  await store.addMessages('mine', [
    { role: 'assistant', content: [{ type: 'text', text: SECRET }] },
    { role: 'user', content: 'x' },
  ])
  await store.setSummary('mine', SECRET)
  await store.truncateHistory('mine', 2)
  const lines: string[] = []
  for await (const line of exportSessions(store)) lines.push(line)
  const file = Buffer.from(lines.join(''))
  return [
    {
      name: 'store string',
      weight: 4,
      feed: (random) => {
        parseStoreString(mutateText(random.pick(STRINGS), random))
        return undefined
      },
    },
    {
      name: 'session key',
      weight: 4,
      feed: async (random) => {
        const key = mutateText(random.pick(KEYS), random)
        const { version } = await store.load(key)
        return version === 0 || key === 'mine' ? undefined : `a session that nobody made: ${JSON.stringify(key)}`
      },
    },
    {
      name: 'configuration',
      weight: 1,
      feed: async (random) => {
        // Backends that would touch the disk are not what is tried here, so one that cannot be found is named.
        const text = mutateText(JSON.stringify(random.pick(CONFIGS)), random)
        let config: unknown
        try {
          config = JSON.parse(text)
        } catch {
          return undefined // not JSON: no configuration
        }
        const harmless = typeof config === 'object' && config !== null ? { ...config, backend: 'proof-none-such' } : 17
        await (await openStore(harmless as unknown as StoreConfig)).close()
        return undefined
      },
    },
    {
      name: 'import file',
      weight: 2,
      feed: async (random) => {
        const target = memoryBackend()
        await target.open()
        try {
          await importSessions(target, chunks(mutateBytes(file, random), random.integer(1, 400)))
        } finally {
          await target.close()
        }
        return undefined
      },
    },
  ]
}

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
