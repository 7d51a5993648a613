import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { StoreErrorDetails } from '@turnlog/core/backend'

/** An error as it goes between threads, which would lose its class and its fields. */
export interface PlainError {
  readonly message: string
  readonly code: unknown
  readonly errcode: unknown
  readonly isStoreError: boolean
  readonly details: StoreErrorDetails
  readonly cause: PlainError | undefined
}

export function toPlainError(error: unknown): PlainError {
  const { message, code, errcode, cause } = error as Error & { code?: unknown; errcode?: unknown }
  const { session, expected, actual, seq, file, line } = error as StoreErrorDetails
  return {
    message,
    code,
    errcode,
    isStoreError: isStoreError(error),
    details: Object.fromEntries(
      Object.entries({ session, expected, actual, seq, file, line }).filter(([, value]) => value !== undefined),
    ),
    cause: cause === undefined ? undefined : toPlainError(cause),
  }
}

export function fromPlainError({ message, code, errcode, isStoreError, details, cause }: PlainError): Error {
  const options = cause === undefined ? {} : { cause: fromPlainError(cause) }
  if (isStoreError) return new StoreError(code as StoreError['code'], message, { ...details, ...options })
  return Object.assign(new Error(message, options), { code, errcode })
}
