import { runsOf } from '../events/run.ts'
import type { RunEntry } from '../events/run.ts'
import type { JsonObject } from '../json/json.ts'
import type { SessionState } from '../view/session-state.ts'
import type { Draft } from './draft.ts'
import { viewMessages } from './view-messages.ts'

/** View, summary and metadata of another session, with the times of the messages, and where they come from. */
export function planFork<M extends object>(draft: Draft<M>, source: SessionState<M>, origin: JsonObject): void {
  const copies: RunEntry[] = []
  for (const entry of viewMessages(source)) {
    copies.push({ position: draft.storeMessage(entry, { at: entry.at }), previous: -1 })
  }
  if (copies.length > 0) draft.replaceView(runsOf(copies), false)
  if (source.summary !== '') draft.setSummary(source.summary)
  if (Object.keys(source.metadata).length > 0) draft.add('MetadataSet', { metadata: source.metadata })
  draft.add('Noted', { kind: 'forked', data: origin })
}
