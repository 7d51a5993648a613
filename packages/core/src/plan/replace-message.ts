import type { Position } from '../events/run.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { requireIndex } from './cut.ts'
import type { Draft } from './draft.ts'
import { rebaseRuns } from './rebase.ts'
import { viewMessages } from './view-messages.ts'

/**
 * One message of the view gives its place to another; what came after it stays.
 *
 * @throws `CONFLICT` if the message is not in the view any more
 */
export function planReplaceMessage<M extends object>(
  session: string,
  draft: Draft<M>,
  position: Position,
  message: NormalMessage<M>,
): void {
  const index = requireIndex(session, draft.state, position)
  const wanted = viewMessages(draft.state)
  const { view, rebased } = rebaseRuns(draft, [...wanted.slice(0, index), message, ...wanted.slice(index + 1)])
  draft.replaceView(view, rebased)
}
