import { StoreError } from '../errors/store-error.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { sameJson } from '../normalise/same-json.ts'
import type { Draft } from './draft.ts'

/** It travels with every append and every listing. */
const MAX_METADATA_BYTES = 4096

/**
 * Merges top-level fields; `null` removes one.
 *
 * @throws `TOO_LARGE`
 */
export function planSetMetadata<M>(session: string, draft: Draft<M>, changes: JsonObject): void {
  const merged: [string, Json][] = Object.entries({ ...draft.state.metadata, ...changes }).filter(
    ([, value]) => value !== null,
  )
  const metadata = Object.freeze(Object.fromEntries(merged))
  if (sameJson(metadata, draft.state.metadata)) return
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length
  if (bytes > MAX_METADATA_BYTES) {
    throw new StoreError(
      'TOO_LARGE',
      `The metadata of session ${JSON.stringify(session)} would have ${bytes} bytes; ${MAX_METADATA_BYTES} is the most. Put larger things into a note or a message.`,
      { session },
    )
  }
  draft.add('MetadataSet', { metadata })
}
