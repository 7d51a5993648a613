import { isStoreError } from '@turnlog/core/backend'
import type { StoreErrorCode } from '@turnlog/core/backend'

const CODES: Readonly<Record<StoreErrorCode, true>> = {
  CONFLICT: true,
  CLOSED: true,
  LOCKED: true,
  CORRUPT: true,
  UNSUPPORTED: true,
  NOT_FOUND: true,
  TRIMMED: true,
  INVALID_KEY: true,
  INVALID_MESSAGE: true,
  INVALID_ARGUMENT: true,
  INVALID_CONFIG: true,
  TOO_LARGE: true,
  IO: true,
  OUTCOME_UNKNOWN: true,
  READ_ONLY: true,
  BACKEND_NOT_FOUND: true,
  BACKEND_LOAD_FAILED: true,
  CONTRACT_MISMATCH: true,
}

/** The code of an error that looks like a `StoreError` and lacks the mark by which core knows one. */
export function unbrandedCode(error: unknown): StoreErrorCode | undefined {
  if (!(error instanceof Error) || isStoreError(error) || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'string' && Object.hasOwn(CODES, code) ? (code as StoreErrorCode) : undefined
}
