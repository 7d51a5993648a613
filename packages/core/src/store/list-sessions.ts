import { loadState } from '../view/load-state.ts'
import { projectionOf, readProjection } from '../view/projection.ts'
import type { EventSource } from '../view/read-events.ts'
import { checkText, checkWholeNumber } from './check-options.ts'
import type { ListOptions, SessionInfo } from './session-store.ts'

/** The sessions that exist, by their heads alone; only a head without a usable projection costs a look at its log. */
export async function* listSessions(source: EventSource, options: ListOptions = {}): AsyncGenerator<SessionInfo> {
  const { prefix, after, limit = Infinity } = options
  if (prefix !== undefined) checkText('prefix', prefix)
  if (after !== undefined) checkText('after', after)
  if (limit !== Infinity) checkWholeNumber('limit', limit)
  let left = limit
  if (left === 0) return
  const range = { ...(prefix === undefined ? undefined : { prefix }), ...(after === undefined ? undefined : { after }) }
  for await (const batch of source.backend.list(range)) {
    for (const { session, last, bytes, projection } of batch) {
      const derived = readProjection(projection) ?? projectionOf(await loadState(source, session))
      const { messages, metadata, createdAt, updatedAt, deleted } = derived
      if (deleted === true) continue
      yield { key: session, version: last, messages, metadata, createdAt, updatedAt, bytes }
      left -= 1
      if (left === 0) return
    }
  }
}
