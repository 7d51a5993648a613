import type { JsonObject } from '../json/json.ts'
import { normaliseJson } from '../normalise/normalise-json.ts'
import { checkPlainObject } from './check-plain-object.ts'

/** @throws `INVALID_ARGUMENT`, `INVALID_MESSAGE` */
export function normaliseMetadata(metadata: unknown): JsonObject {
  checkPlainObject('metadata', metadata)
  const { value } = normaliseJson(metadata, 'metadata')
  checkPlainObject('metadata', value) // a toJSON may have made something else of it
  return value as JsonObject
}
