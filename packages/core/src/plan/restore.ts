import { trimmedVersion } from '../view/state-at.ts'
import type { SessionState } from '../view/session-state.ts'
import type { Draft } from './draft.ts'
import { rebaseRuns } from './rebase.ts'
import { viewMessages } from './view-messages.ts'

/**
 * View and summary as they were. Nothing is written for what is still so.
 *
 * @throws `TRIMMED` if an earlier operation of the same append compacts that version away
 */
export function planRestore<M extends object>(session: string, draft: Draft<M>, past: SessionState<M>): void {
  const { state } = draft
  if (past.last < state.minVersion) throw trimmedVersion(session, past.last, state.minVersion)
  if (!sameView(state, past)) {
    const wanted = viewMessages(past)
    const present = new Set(viewMessages(state).map(({ position }) => position))
    draft.recall(wanted.filter(({ position }) => !present.has(position)))
    const { view, rebased } = rebaseRuns(draft, wanted)
    draft.replaceView(view, rebased)
  }
  if (draft.state.summary !== past.summary) draft.setSummary(past.summary)
}

function sameView(a: SessionState<unknown>, b: SessionState<unknown>): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a.entries.position(i) !== b.entries.position(i)) return false
  return true
}
