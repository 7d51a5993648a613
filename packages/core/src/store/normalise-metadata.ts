import { checkObject } from '../errors/check-arguments.ts'
import { StoreError } from '../errors/store-error.ts'
import type { JsonObject } from '../json/json.ts'
import { normaliseJson } from '../normalise/normalise-json.ts'

/** @throws `INVALID_ARGUMENT`, `INVALID_MESSAGE` */
export function normaliseMetadata(metadata: unknown): JsonObject {
  checkPlainObject('metadata', metadata)
  const { value } = normaliseJson(metadata, 'metadata')
  checkPlainObject('metadata', value) // a toJSON may have made something else of it
  return value as JsonObject
}

/**
 * An object whose fields are all there is to it, also one of another realm. Of a `Date` or an instance of a class JSON
 * would make something else, or nothing.
 *
 * @throws `INVALID_ARGUMENT`
 */
function checkPlainObject(name: string, value: unknown): void {
  const prototype: unknown = Object.getPrototypeOf(checkObject(name, value))
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const found = Array.isArray(value) ? 'an array' : 'an instance of a class'
    throw new StoreError('INVALID_ARGUMENT', `${name} is a plain object, not ${found}.`)
  }
}
