import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'

import { temporaryDirectory } from './sample-store.ts'

test('options that make no sense are INVALID_CONFIG and say which', () => {
  const path = temporaryDirectory()
  for (const bad of [
    { path: '' },
    { path, durability: 'none' },
    { path, cacheBytes: -1 },
    { path, blockBytes: 1.5 },
    { path, compress: true },
    { path, preallocateLog: 'yes' },
  ]) {
    const [name = ''] = Object.keys(bad).slice(-1)
    const message = expect.stringMatching(new RegExp(`[Oo]ption "${name}"`)) as string
    expect(() => leveldbBackend(bad as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message }) as Error,
    )
  }
})
