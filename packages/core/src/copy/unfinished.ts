import type { Json } from '../json/json.ts'
import { sameJson } from '../normalise/same-json.ts'

/**
 * In place of the projection of a session that was copied only in part, so that nobody takes it for the whole: whoever
 * reads it folds the log, and `verify` reports it. Not nothing: a repair leaves that, and what it has repaired is whole.
 */
export const UNFINISHED: Json = Object.freeze({ copy: 'unfinished' })

export function isUnfinished(projection: Json): boolean {
  return sameJson(projection, UNFINISHED)
}
