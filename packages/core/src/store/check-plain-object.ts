import { StoreError } from '../errors/store-error.ts'
import { checkObject } from '../errors/check-arguments.ts'

/**
 * An object whose fields are all there is to it, also one of another realm. Of a `Date` or an instance of a class JSON
 * would make something else, or nothing.
 *
 * @throws `INVALID_ARGUMENT`
 */
export function checkPlainObject(name: string, value: unknown): void {
  const prototype: unknown = Object.getPrototypeOf(checkObject(name, value))
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const found = Array.isArray(value) ? 'an array' : 'an instance of a class'
    throw new StoreError('INVALID_ARGUMENT', `${name} is a plain object, not ${found}.`)
  }
}
