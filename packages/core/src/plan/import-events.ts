import { StoreError } from '../errors/store-error.ts'
import type { JsonObject } from '../json/json.ts'
import { planCut } from './cut.ts'
import type { Draft } from './draft.ts'
import { planSetMetadata } from './set-metadata.ts'

/** An event of another program, checked and frozen. */
export type NormalImport<M> = { readonly at: number; readonly bytes: number } & (
  | { readonly type: 'MessageAdded'; readonly message: M }
  | { readonly type: 'Truncated'; readonly keepLast: number }
  | { readonly type: 'SummarySet'; readonly summary: string }
  | { readonly type: 'MetadataSet'; readonly metadata: JsonObject }
  | { readonly type: 'Noted'; readonly kind: string; readonly data: JsonObject[string] }
)

/**
 * A session that begins with what happened elsewhere, each event with its own time.
 *
 * @throws `CONFLICT` if the session exists or existed
 */
export function planImportEvents<M extends object>(
  session: string,
  draft: Draft<M>,
  events: readonly NormalImport<M>[],
): void {
  const { now, state } = draft
  if (state.last > 0) {
    throw new StoreError('CONFLICT', `Session ${JSON.stringify(session)} exists already.`, {
      session,
      expected: 0,
      actual: state.last,
    })
  }
  for (const event of events) {
    draft.now = event.at
    addEvent(session, draft, event)
  }
  draft.now = now // of the other operations that share the append
}

function addEvent<M extends object>(session: string, draft: Draft<M>, event: NormalImport<M>): void {
  switch (event.type) {
    case 'MessageAdded':
      return draft.addMessage(event)
    case 'Truncated': {
      const { keepLast } = event
      const boundary = Math.max(0, draft.state.length - keepLast)
      planCut(draft, { pinned: 0, boundary, moved: false, asked: { keepLast, exact: true } })
      return undefined
    }
    case 'SummarySet':
      return draft.setSummary(event.summary)
    case 'MetadataSet':
      return planSetMetadata(session, draft, event.metadata)
    case 'Noted':
      draft.note(event.kind, event.data)
  }
}
