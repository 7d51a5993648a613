import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Harness } from '../context/target.ts'

/** Another backend object over the same storage, not opened. Only for cases that require `second`. */
export async function secondOf(harness: Harness, path?: string): Promise<Backend> {
  const second = await harness.second?.(path === undefined ? {} : { path })
  assert.ok(second !== undefined, 'second() gives a backend')
  return second
}
