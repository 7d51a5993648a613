import type { AnyStore } from '../context.ts'
import { Replay } from './replay.ts'
import type { ReplayedMessage } from './replay.ts'

/** View and summary of one version, with positions. */
export interface PastView {
  readonly version: number
  readonly summary: string
  readonly messages: readonly ReplayedMessage[]
}

/** @throws `INVALID_ARGUMENT` for a version that is not there yet, `TRIMMED` for one that compaction has taken */
export async function viewAt(store: AnyStore, key: string, at: number): Promise<PastView> {
  await store.getHistory(key, { at, limit: 0, exact: true }) // says so if that version cannot be looked at
  const replay = new Replay()
  if (at > 0) for await (const event of store.events(key, { to: at })) replay.apply(event)
  return { version: at, summary: replay.summary, messages: replay.view }
}
