import type { BackendOptions } from '@turnlog/core/backend'
import { expect, test } from 'vitest'
import { backend, jsonlBackend } from '@turnlog/jsonl-backend'
import type { JsonlOptions } from '@turnlog/jsonl-backend'

test('options that make no sense are INVALID_CONFIG and say which', () => {
  for (const bad of [
    { path: '' },
    { path: 'a\0b' },
    { path: './a', durability: 'none' },
    { path: './a', maxOpenFiles: 0 },
    { path: './a', rewriteWhenTrimmed: 1.1 },
    { path: './a', pth: './b' },
  ]) {
    const [name = ''] = Object.keys(bad).slice(-1)
    const expected: unknown = expect.objectContaining({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(new RegExp(`[Oo]ption "${name}"`)) as string,
    })
    expect(() => jsonlBackend(bad as JsonlOptions)).toThrow(expected)
    expect(() => backend.create(bad as BackendOptions)).toThrow(expected)
  }
})

test('an unknown option is told the name that was probably meant', () => {
  expect(() => jsonlBackend({ path: './a', maxOpenFile: 3 } as JsonlOptions)).toThrow(
    'Unknown option "maxOpenFile" for the jsonl backend. Did you mean "maxOpenFiles"?',
  )
})

test('the capabilities say which durability was chosen', () => {
  expect(jsonlBackend({ path: './a' }).capabilities.durability).toBe('sync')
  expect(backend.create({ path: './a', durability: 'os' }).capabilities.durability).toBe('os')
})
