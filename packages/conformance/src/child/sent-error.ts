import { inspect } from 'node:util'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { StoreErrorCode, StoreErrorDetails } from '@turnlog/core/backend'

/** An error as a child process sends it: with its cause and its stack, which say where the child failed. */
export interface SentError {
  readonly code?: StoreErrorCode
  readonly message: string
  readonly stack?: string
  readonly details?: Omit<StoreErrorDetails, 'cause'>
  readonly cause?: SentError
}

export function sendable(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: inspect(error) }
  const { message, stack, cause } = error
  const origin = {
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined ? {} : { cause: sendable(cause) }),
  }
  if (!isStoreError(error)) return { message, ...origin }
  const { code, ...details } = Object.assign({} as { code: StoreErrorCode }, error) // what it knows are own properties
  return { code, message, details, ...origin }
}

export function received({ code, message, stack, details, cause }: SentError): Error {
  const options = cause === undefined ? {} : { cause: received(cause) }
  const error =
    code === undefined ? new Error(message, options) : new StoreError(code, message, { ...details, ...options })
  if (stack !== undefined) error.stack = `${stack}\n    in a child process`
  return error
}
