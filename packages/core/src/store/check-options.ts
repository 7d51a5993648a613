import { StoreError } from '../errors/store-error.ts'
import { nearestName } from '../config/nearest-name.ts'
import { textHash } from '../ids/text-hash.ts'
import type { HistoryShape } from '../view/history-of.ts'
import type { Operation } from '../plan/draft.ts'
import type { HistoryOptions, WriteOptions } from './session-store.ts'

const MAX_OPERATION_ID_LENGTH = 256

const HISTORY_OPTIONS = ['limit', 'at', 'exact', 'repair', 'copy']

/** Of every write, and of those that cut. */
const WRITE_OPTIONS = ['expectedVersion', 'operationId', 'exact']

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
  const { expectedVersion, operationId } = checkObject('options', options, WRITE_OPTIONS)
  if (expectedVersion !== undefined) checkWholeNumber('expectedVersion', expectedVersion)
  if (operationId !== undefined) checkOperationId(operationId)
  return {
    ...(expectedVersion === undefined ? undefined : { expectedVersion }),
    ...(operationId === undefined
      ? undefined
      : { operation: { id: operationId, hash: textHash(JSON.stringify(request)) } }),
  }
}

/** @throws `INVALID_ARGUMENT` */
export function checkOperationId(id: unknown): asserts id is string {
  if (typeof id === 'string' && id.length > 0 && id.length <= MAX_OPERATION_ID_LENGTH) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `operationId must be a string of 1 to ${MAX_OPERATION_ID_LENGTH} characters.`,
  )
}

/** @returns the options alone. @throws `INVALID_ARGUMENT` */
export function checkHistoryOptions(options: HistoryOptions): HistoryShape & { readonly at: number | undefined } {
  const { limit, at, exact, repair, copy } = checkObject('options', options, HISTORY_OPTIONS)
  if (limit !== undefined) checkWholeNumber('limit', limit)
  if (at !== undefined) checkWholeNumber('at', at)
  checkFlag('exact', exact)
  checkFlag('repair', repair)
  checkFlag('copy', copy)
  return { limit, at, exact, repair, copy }
}

/** @throws `INVALID_ARGUMENT` */
export function checkWholeNumber(name: string, value: unknown): asserts value is number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new StoreError('INVALID_ARGUMENT', `${name} must be a whole number, 0 or more, got ${describe(value)}.`)
  }
}

/** @throws `INVALID_ARGUMENT` */
export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') {
    throw new StoreError('INVALID_ARGUMENT', `${name} must be a string, got ${describe(value)}.`)
  }
}

/** Another value than a boolean would count as false: `erase: 'true'` would erase nothing. @throws `INVALID_ARGUMENT` */
export function checkFlag(name: string, value: unknown): asserts value is boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') {
    throw new StoreError('INVALID_ARGUMENT', `${name} must be true or false, got ${describe(value)}.`)
  }
}

/** @throws `INVALID_ARGUMENT` */
export function checkSignal(name: string, value: unknown): asserts value is AbortSignal | undefined {
  if (value === undefined) return
  const { aborted, addEventListener } = checkObject(name, value as Partial<AbortSignal>)
  if (typeof aborted !== 'boolean' || typeof addEventListener !== 'function') {
    throw new StoreError('INVALID_ARGUMENT', `${name} must be an AbortSignal.`)
  }
}

/**
 * For arguments that are taken apart, which callers without types leave out. `known` are the names that it may have: one
 * that is nearly one of them is refused, because `expectedVersoin` would switch off the very check that was asked for.
 * Others are left alone: callers may pass more than is looked at.
 *
 * @returns the same
 * @throws `INVALID_ARGUMENT`
 */
export function checkObject<T>(name: string, value: T, known: readonly string[] = []): T & object {
  if (typeof value !== 'object' || value === null) {
    throw new StoreError('INVALID_ARGUMENT', `${name} must be an object, got ${describe(value)}.`)
  }
  for (const given of Object.keys(value)) {
    const meant = known.includes(given) ? undefined : nearestName(given, known)
    if (meant !== undefined) {
      throw new StoreError('INVALID_ARGUMENT', `${name} has ${JSON.stringify(given)}. Did you mean "${meant}"?`)
    }
  }
  return value
}

/** @throws `INVALID_ARGUMENT` */
export function checkCutTarget(keepLast: unknown): void {
  if (typeof keepLast === 'object' && keepLast !== null) {
    checkWholeNumber('before', (keepLast as { readonly before?: unknown }).before)
  } else if (!Number.isSafeInteger(keepLast)) {
    throw new StoreError(
      'INVALID_ARGUMENT',
      `keepLast must be a whole number or { before }, got ${describe(keepLast)}.`,
    )
  }
}

/** Values may be anything, also secret: numbers are named, of all others only the kind. */
export function describe(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
