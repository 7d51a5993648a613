import { memoryBackend } from 'turnlog'
import type { StoreConfig } from 'turnlog'
import { expect, test } from 'vitest'

import { resolveBackend } from '../../../core/src/config/resolve-backend.ts'

test.each<[unknown, string]>([
  [undefined, 'the configuration is undefined'],
  [[], 'the configuration is an array'],
  [{}, 'option "path" is missing'],
  [{ backend: 'jsonl' }, 'option "path" is missing'],
  [{ path: 3 }, 'option "path" is 3'],
  [{ path: 'a\0b' }, 'option "path"'],
  [{ path: 'd', durabilty: 'os' }, 'no option "durabilty". Did you mean "durability"?'],
  [{ path: 'd', colour: {} }, 'no option "colour". Known: backend, path'],
  [{ path: 'd', constructor: {} }, 'no option "constructor"'],
  [{ path: 'd', durability: 'none' }, 'option "durability" is "none"; it must be "sync" or "os"'],
  [{ path: 'd', backendOptions: [] }, 'option "backendOptions" is an array'],
  [
    { path: 'd', backendOptions: { durability: 'os' } },
    'option "backendOptions.durability" has to be given as "durability"',
  ],
  [{ path: 'd', viewCacheBytes: -1 }, 'option "viewCacheBytes" is -1'],
  [{ path: 'd', viewCacheBytes: '64MB' }, 'option "viewCacheBytes" is "64MB"'],
  [{ path: 'd', limits: { maxMessageBytes: 0 } }, 'option "limits.maxMessageBytes" is 0'],
  [{ path: 'd', limits: { maxMesageBytes: 1 } }, 'no option "limits.maxMesageBytes". Did you mean "maxMessageBytes"?'],
  [{ path: 'd', clock: Date }, 'option "clock" is a function'],
  [{ path: 'd', onWarning: true }, 'option "onWarning" is true'],
  [{ path: 'd', toolLinks: {} }, 'option "toolLinks" is an object'],
  [{ backend: 7 }, 'option "backend" is 7'],
  [{ backend: { append: () => undefined } }, 'option "backend" is an object'],
  [{ backend: 'memory', durability: 'sync' }, 'the memory backend takes no durability'],
  [{ backend: memoryBackend(), path: 'd' }, 'option "path" cannot be given with a backend instance'],
  [{ backend: memoryBackend(), backendOptions: {} }, 'option "backendOptions" cannot be given with a backend instance'],
  [{ backend: memoryBackend(), fallback: { backend: 'memory' } }, 'option "fallback" cannot be given with a backend'],
  [{ path: 'd', fallback: { backend: 'jsonl' } }, 'option "fallback.path" is missing'],
  [{ path: 'd', fallback: { backend: 'memory', limits: {} } }, 'no option "fallback.limits"'],
  [{ path: 'd', fallback: { backend: memoryBackend() } }, 'option "fallback.backend" is an instance'],
  [{ backend: 'some-backend', fallback: { backend: 'memory' } }, 'option "fallback" needs "path"'],
  [{ path: 'd', fallback: { backend: 'jsonl', path: './d' } }, 'option "fallback.path" "./d" lies within "path"'],
  [{ path: 'd', fallback: { backend: 'jsonl', path: 'd/sub' } }, 'option "fallback.path" "d/sub" lies within "path"'],
])('the configuration %j is refused by name of its option', async (config, message) => {
  await expect(resolveBackend(config as StoreConfig)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining(message),
  })
})

test('an option that is undefined counts as not given', async () => {
  const config = { backend: 'memory', path: undefined, durability: undefined } as unknown as StoreConfig
  expect((await resolveBackend(config)).backend.name).toBe('memory')
})
