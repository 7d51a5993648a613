import { expect, test } from 'vitest'

import { parseStoreString } from '../../src/config/parse-store-string.ts'
import type { StoreConfig } from '../../src/config/store-config.ts'
import { memoryBackend } from '../../src/memory/index.ts'

declare module '../../src/backend/backend-registry.ts' {
  interface BackendRegistry {
    shelf: { readonly path: string; readonly durability?: 'sync' | 'os'; readonly shelves?: number }
  }
}

// What matters here is that it type-checks, and that each marked line does not.
test('options are typed by the name of the backend', () => {
  const accepted: StoreConfig[] = [
    { path: './data' },
    { backend: 'shelf', path: './data', backendOptions: { shelves: 3 } },
    { backend: 'leveldb', path: './data', backendOptions: { notRegisteredHere: true } },
    { backend: '@scope/backend', backendOptions: { anything: 1 } },
    { backend: './mine.js' },
    { backend: 'some-backend' },
    { backend: memoryBackend() },
    { backend: (options) => (options.path === undefined ? memoryBackend() : Promise.resolve(memoryBackend())) },
    { path: './data', fallback: { backend: 'memory' } },
    parseStoreString('memory:'),
  ]
  const refused: StoreConfig[] = [
    // @ts-expect-error -- no number
    { backend: 'shelf', path: './data', backendOptions: { shelves: 'three' } },
    // @ts-expect-error -- no such option
    { backend: 'shelf', path: './data', backendOptions: { shelfs: 3 } },
    // @ts-expect-error -- set one level up
    { backend: 'shelf', backendOptions: { path: './data' } },
    // @ts-expect-error -- has no options
    { backend: 'memory', backendOptions: { size: 1 } },
    // @ts-expect-error -- misspelt
    { backend: 'levledb', path: './data' },
    // @ts-expect-error -- made already
    { backend: memoryBackend(), path: './data' },
    // @ts-expect-error -- not a mode
    { path: './data', durability: 'none' },
  ]
  expect([accepted.length, refused.length]).toEqual([10, 7])
})
