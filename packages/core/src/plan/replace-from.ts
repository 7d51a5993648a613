import type { Position } from '../events/run.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { requireIndex } from './cut.ts'
import type { Draft } from './draft.ts'
import { rebaseRuns } from './rebase.ts'
import { viewMessages } from './view-messages.ts'

/**
 * The view up to a message, without it, and then other messages. The new ones are plain additions behind the view
 * event, so the position of the last one is the version that results.
 *
 * @throws `CONFLICT` if the message is not in the view any more
 */
export function planReplaceFrom<M extends object>(
  session: string,
  draft: Draft<M>,
  position: Position,
  messages: readonly NormalMessage<M>[],
): void {
  const index = requireIndex(session, draft.state, position)
  const { view, rebased } = rebaseRuns(draft, viewMessages(draft.state, 0, index))
  draft.replaceView(view, rebased)
  for (const message of messages) draft.addMessage(message)
}
