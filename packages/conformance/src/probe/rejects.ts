import { AssertionError } from 'node:assert'
import { inspect } from 'node:util'

import { isStoreError } from '@turnlog/core/backend'
import type { StoreError, StoreErrorCode } from '@turnlog/core/backend'

/** Asserts that `work` rejects with a `StoreError` of one of these codes, and gives the error. */
export async function rejects(
  codes: StoreErrorCode | readonly StoreErrorCode[],
  what: string,
  work: () => Promise<unknown>,
): Promise<StoreError> {
  const wanted = typeof codes === 'string' ? [codes] : codes
  const expected = `rejected with ${wanted.join(' or ')}`
  let promise: Promise<unknown>
  try {
    promise = work()
  } catch (error) {
    throw new AssertionError({ message: what, expected, actual: `thrown, not rejected: ${inspect(error)}` })
  }
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    if (wanted.some((code) => isStoreError(error, code))) return error as StoreError
    throw new AssertionError({ message: what, expected, actual: error })
  }
  const actual = value === undefined ? 'resolved' : { resolved: value }
  throw new AssertionError({ message: what, expected, actual })
}
