import type { Json, JsonObject } from '../json/json.ts'

/**
 * Stands in place of the projection while only a part of a session was copied, so that nobody takes the part for the
 * whole: readers fold the log, and `verify` reports it. It is not `null`: a repair leaves that, and a repaired session is
 * complete.
 */
export const UNFINISHED_COPY: JsonObject = Object.freeze({ copy: 'unfinished' })

export function isUnfinishedCopy(projection: Json): boolean {
  const fields: Partial<Record<string, unknown>> = Object(projection)
  return fields['copy'] === UNFINISHED_COPY['copy'] && Object.keys(fields).length === 1
}
