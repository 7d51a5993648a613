import { StoreError } from '../errors/store-error.ts'
import { textHash } from '../ids/text-hash.ts'
import type { Operation } from '../plan/draft.ts'
import type { WriteOptions } from './session-store.ts'

const MAX_OPERATION_ID_LENGTH = 256

/** Options of a write as the queue wants them. */
export interface CheckedOptions {
  readonly expectedVersion?: number
  readonly operation?: Operation
}

/**
 * @param request what is asked for, as values that JSON can carry; digested only if there is an operation id
 * @throws `INVALID_ARGUMENT`
 */
export function checkWriteOptions(options: WriteOptions | undefined, request: readonly unknown[]): CheckedOptions {
  if (options === undefined) return {}
  const { expectedVersion, operationId } = checkObject('options', options)
  if (expectedVersion !== undefined) checkWholeNumber('expectedVersion', expectedVersion)
  if (operationId !== undefined && (typeof operationId !== 'string' || !isOperationId(operationId))) {
    throw new StoreError('INVALID_ARGUMENT', `operationId is a string of 1 to ${MAX_OPERATION_ID_LENGTH} characters.`)
  }
  return {
    ...(expectedVersion === undefined ? undefined : { expectedVersion }),
    ...(operationId === undefined
      ? undefined
      : { operation: { id: operationId, hash: textHash(JSON.stringify(request)) } }),
  }
}

function isOperationId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_OPERATION_ID_LENGTH
}

/** @throws `INVALID_ARGUMENT` */
export function checkWholeNumber(name: string, value: unknown): asserts value is number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new StoreError('INVALID_ARGUMENT', `${name} is a whole number from 0 on, not ${describe(value)}.`)
  }
}

/** @throws `INVALID_ARGUMENT` */
export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') {
    throw new StoreError('INVALID_ARGUMENT', `${name} is a string, not ${describe(value)}.`)
  }
}

/**
 * For arguments that are taken apart, which callers without types leave out.
 *
 * @returns the same
 * @throws `INVALID_ARGUMENT`
 */
export function checkObject<T>(name: string, value: T): T & object {
  if (typeof value === 'object' && value !== null) return value
  throw new StoreError('INVALID_ARGUMENT', `${name} is an object, not ${describe(value)}.`)
}

/** @throws `INVALID_ARGUMENT` */
export function checkCutTarget(keepLast: unknown): void {
  if (typeof keepLast === 'object' && keepLast !== null) {
    checkWholeNumber('before', (keepLast as { readonly before?: unknown }).before)
  } else if (!Number.isSafeInteger(keepLast)) {
    throw new StoreError('INVALID_ARGUMENT', `keepLast is a whole number or { before }, not ${describe(keepLast)}.`)
  }
}

/** Values may be anything, also secret: numbers are named, of all others only the kind. */
export function describe(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}
