import { nearestName } from './nearest-name.ts'
import { StoreError } from './store-error.ts'

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
 * For arguments that are taken apart, which callers without types leave out. `known` are the names that it may have:
 * any other is refused, because `expectedVersoin` would switch off the very check that was asked for.
 *
 * @returns the same
 * @throws `INVALID_ARGUMENT`
 */
export function checkObject<T>(name: string, value: T, known?: readonly string[]): T & object {
  if (typeof value !== 'object' || value === null) {
    throw new StoreError('INVALID_ARGUMENT', `${name} must be an object, got ${describe(value)}.`)
  }
  const unknown = known === undefined ? undefined : Object.keys(value).find((given) => !known.includes(given))
  if (known === undefined || unknown === undefined) return value
  const meant = nearestName(unknown, known)
  const advice = meant === undefined ? `Known here: ${known.join(', ') || 'none'}.` : `Did you mean "${meant}"?`
  throw new StoreError('INVALID_ARGUMENT', `${name} has ${JSON.stringify(unknown)}. ${advice}`)
}

/** @throws `INVALID_ARGUMENT` */
export function checkWord(name: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || words.includes(value as string)) return
  const wanted = words.map((word) => JSON.stringify(word)).join(' or ')
  const given = typeof value === 'string' ? JSON.stringify(value) : describe(value)
  throw new StoreError('INVALID_ARGUMENT', `${name} must be ${wanted}, got ${given}.`)
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
