import { checkKey, isStoreError } from '@turnlog/core/backend'
import type { Json, JsonObject } from '@turnlog/core/backend'
import { Rejection } from './rejection.ts'

/**
 * The key as the contents give it, never as the file name does: names are what the old store made of keys, and it made
 * the same of several.
 *
 * @throws {@link Rejection}
 */
export function readKey(fields: JsonObject, name: string): string {
  const { key } = fields as { key?: Json }
  if (key === undefined || key === '') throw new Rejection('invalid', `${name} has no "key".`)
  try {
    checkKey(key)
    return key
  } catch (error) {
    if (!isStoreError(error)) throw error
    throw new Rejection('invalid', `${name}: ${error.message}`, { code: error.code, cause: error })
  }
}

/** @throws {@link Rejection} */
export function readSummary(fields: JsonObject, name: string): string {
  const { summary } = fields as { summary?: Json }
  if (summary === undefined || summary === null) return ''
  if (typeof summary !== 'string') throw new Rejection('invalid', `${name}: "summary" is not a string.`)
  return summary
}

/** Fields that have no place elsewhere. */
export function leftovers(fields: JsonObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)))
}
