import type { NormalMessage } from '../normalise/normalise-message.ts'
import { matchHistory } from './match-history.ts'
import type { Draft } from './draft.ts'
import { rebaseRuns } from './rebase.ts'
import { viewMessages } from './view-messages.ts'
import type { StoredMessage } from '../view/session-state.ts'

/**
 * Makes the view equal to a given history by writing only what is new: nothing if they are equal, plain additions if
 * the history is longer, otherwise a view event that refers to what is already recorded.
 */
export function planSetHistory<M extends object>(draft: Draft<M>, history: readonly NormalMessage<M>[]): void {
  const { state } = draft
  const matches = matchHistory(state, history)
  const firstTrailing = trailingStart(matches)
  if (!isPrefix(matches, firstTrailing) || firstTrailing !== state.length) {
    const present = viewMessages(state)
    const wanted = matches.slice(0, firstTrailing).map((match, i) => {
      return match >= 0 ? (present[match] as StoredMessage<M>) : (history[i] as NormalMessage<M>)
    })
    const { view, rebased } = rebaseRuns(draft, wanted)
    draft.replaceView(view, rebased)
  }
  for (const message of history.slice(firstTrailing)) draft.addMessage(message)
}

/** New messages at the end need no reference: they are added after the view event. */
function trailingStart(matches: readonly number[]): number {
  let start = matches.length
  while (start > 0 && matches[start - 1] === -1) start--
  return start
}

function isPrefix(matches: readonly number[], length: number): boolean {
  for (let i = 0; i < length; i++) if (matches[i] !== i) return false
  return true
}
