import { AssertionError } from 'node:assert'
import { isStoreError } from '@turnlog/core/backend'
import type { StoreError, StoreErrorCode } from '@turnlog/core/backend'

/** Asserts that `work` rejects with a `StoreError` of one of these codes, and gives the error. */
export async function rejects(
  codes: StoreErrorCode | readonly StoreErrorCode[],
  what: string,
  work: () => Promise<unknown>,
): Promise<StoreError> {
  const wanted = typeof codes === 'string' ? [codes] : codes
  let value: unknown
  try {
    value = await work()
  } catch (error) {
    if (wanted.some((code) => isStoreError(error, code))) return error as StoreError
    throw new AssertionError({ message: what, expected: `rejected with ${wanted.join(' or ')}`, actual: error })
  }
  throw new AssertionError({
    message: what,
    expected: `rejected with ${wanted.join(' or ')}`,
    actual: value === undefined ? 'resolved' : { resolved: value },
  })
}
