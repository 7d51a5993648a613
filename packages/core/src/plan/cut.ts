import { StoreError } from '../errors/store-error.ts'
import type { Position } from '../events/run.ts'
import type { CutRequest } from '../events/session-event.ts'
import { safeBoundary } from '@turnlog/messages'
import type { ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from '../view/session-state.ts'
import { indexOfPosition } from '../view/session-state.ts'
import type { Draft } from './draft.ts'
import { rebaseRuns } from './rebase.ts'
import { viewMessages } from './view-messages.ts'

/** What came of a cut. */
export interface CutResult {
  readonly kept: number
  readonly removed: number
  /** The cut moved back, so as not to split a tool call from its results. */
  readonly moved: boolean
}

/** Removes the messages in front of a place in the view. */
export interface Cut {
  /** Messages before this index go. */
  readonly boundary: number
  /** Cut just there, also between a call and its result. */
  readonly exact: boolean
  readonly asked: CutRequest
  /** Recorded also if it removes nothing. */
  readonly isRecorded?: boolean
}

/** Where `truncateHistory` cuts; everything goes for 0 and less, nothing if there are fewer messages. */
export function cutToLast(state: SessionState<unknown>, keepLast: number, exact: boolean): Cut {
  const boundary = keepLast <= 0 ? state.length : Math.max(0, state.length - keepLast)
  return { boundary, exact: exact || keepLast <= 0, asked: exact ? { keepLast, exact } : { keepLast } }
}

/** @throws `CONFLICT` if the message is not in the view any more */
export function cutBefore(session: string, state: SessionState<unknown>, before: Position, exact: boolean): Cut {
  const boundary = requireIndex(session, state, before)
  return { boundary, exact, asked: exact ? { before, exact } : { before } }
}

/** @throws `CONFLICT` */
export function requireIndex(session: string, state: SessionState<unknown>, position: Position): number {
  const index = indexOfPosition(state, position)
  if (index >= 0) return index
  const why =
    position > state.last
      ? `does not exist: the session is at version ${state.last}`
      : 'is not in the view: it was cut or replaced, or the event is no message'
  throw new StoreError(
    'CONFLICT',
    `Message ${position} of session ${JSON.stringify(session)} ${why}. Reload and decide again.`,
    { session, expected: position, actual: state.last },
  )
}

export function planCut<M extends object>(draft: Draft<M>, cut: Cut, toolLinks: ToolLinksOf | undefined): CutResult {
  const { state } = draft
  const boundary = cut.exact
    ? cut.boundary
    : safeBoundary(state.messages.slice(0, state.length), cut.boundary, toolLinks)
  const result = { kept: state.length - boundary, removed: boundary, moved: boundary !== cut.boundary }
  if (boundary > 0 || cut.isRecorded === true) {
    const { view, rebased } = rebaseRuns(draft, viewMessages(state, boundary))
    draft.truncate(view, cut.asked, { moved: result.moved, rebased })
  }
  return result
}
