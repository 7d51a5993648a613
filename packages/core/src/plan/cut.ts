import { StoreError } from '../errors/store-error.ts'
import type { Position } from '../events/run.ts'
import type { CutRequest } from '../events/session-event.ts'
import { countPinned, placeCut } from '@turnlog/messages'
import type { Pin, StartOn, ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from '../view/session-state.ts'
import { indexOfPosition } from '../view/session-state.ts'
import type { Draft } from './draft.ts'
import { rebaseRuns } from './rebase.ts'
import { viewMessages } from './view-messages.ts'

/** What came of a cut. */
export interface CutResult {
  readonly kept: number
  readonly removed: number
  /** The cut is not where it was asked for, so as not to split a tool call from its results or to begin with a user. */
  readonly moved: boolean
}

/** How a view is to begin after a cut. */
export interface CutRules {
  readonly startOn?: StartOn | undefined
  readonly pin?: Pin | undefined
  /** Cut just there, also between a call and its result. */
  readonly exact?: boolean | undefined
}

/** A cut as it is asked for. */
export interface AskedCut extends CutRules {
  /** Messages before this index go. */
  readonly boundary: number
  readonly asked: CutRequest
}

/** A cut as it is made. */
export interface Cut {
  /** So many messages at the beginning stay. */
  readonly pinned: number
  /** Messages between those and this index go. */
  readonly boundary: number
  /** It is not where it was asked for. */
  readonly moved: boolean
  readonly asked: CutRequest
}

/** Where `truncateHistory` cuts; everything goes for 0 and less, nothing if there are fewer messages. */
export function cutToLast(state: SessionState<object>, keepLast: number, rules: CutRules): AskedCut {
  const asked = rules.exact === true ? ({ keepLast, exact: true } as const) : { keepLast }
  if (keepLast <= 0) return { boundary: state.length, exact: true, asked }
  // What is pinned counts, but one other message stays: that is what the next answer is about.
  const rest = Math.max(1, keepLast - pinnedBy(state, rules))
  return { ...rules, boundary: Math.max(0, state.length - rest), asked }
}

/** @throws `CONFLICT` if the message is not in the view any more */
export function cutBefore(session: string, state: SessionState<object>, before: Position, rules: CutRules): AskedCut {
  const boundary = requireIndex(session, state, before)
  return { ...rules, boundary, asked: rules.exact === true ? { before, exact: true } : { before } }
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

/** Moves a cut to where it may fall. */
export function safeCut(state: SessionState<object>, cut: AskedCut, toolLinks: ToolLinksOf | undefined): Cut {
  const { boundary: wanted, exact, startOn, asked } = cut
  const messages = state.messages.slice(0, state.length)
  const boundary = exact === true || wanted === 0 ? wanted : placeCut(messages, wanted, startOn, toolLinks)
  return { pinned: Math.min(pinnedBy(state, cut), boundary), boundary, moved: boundary !== wanted, asked }
}

export function planCut<M extends object>(draft: Draft<M>, { pinned, boundary, moved, asked }: Cut): CutResult {
  const { state } = draft
  const removed = boundary - pinned
  const result = { kept: state.length - removed, removed, moved }
  if (removed > 0) {
    const kept = [...viewMessages(state, 0, pinned), ...viewMessages(state, boundary)]
    const { view, rebased } = rebaseRuns(draft, kept)
    draft.truncate(view, asked, { moved, rebased })
  }
  return result
}

function pinnedBy({ messages, length }: SessionState<object>, { pin, exact }: CutRules): number {
  return pin === 'system' && exact !== true ? countPinned(messages.slice(0, length)) : 0
}
