import { isStoreError } from '@turnlog/core/backend'
import type { BatchEntry } from '@turnlog/leveldb-files'

import { COUNTER_KEY, decodeCounter } from '../format/store-rows.ts'

/**
 * The number that every batch of a store ends in; `undefined` if these are the entries of something else.
 *
 * @throws `UNSUPPORTED`
 */
export function batchNumber(entries: readonly BatchEntry[]): number | undefined {
  const { key, value } = entries.at(-1) ?? {}
  if (value === undefined || key?.equals(COUNTER_KEY) !== true) return undefined
  try {
    return decodeCounter(value).batches
  } catch (error) {
    if (isStoreError(error, 'CORRUPT')) return undefined
    throw error
  }
}
