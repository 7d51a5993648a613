import type { NormalMessage } from '../normalise/normalise-message.ts'
import { safeBoundary } from '@turnlog/messages'
import type { ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from '../view/session-state.ts'

/** How large a view may become. */
export interface ViewLimit {
  readonly maxMessages?: number | undefined
  readonly maxSessionBytes?: number | undefined
}

/** What is done about a message that makes a view too large. */
export interface AddLimit {
  /** Cut beyond this. */
  readonly cutAt: ViewLimit
  /** Refuse a single message of more bytes. */
  readonly refuseOver: number
}

/** What stays of a view that has become too large, so that not every message makes a cut. */
const KEPT_SHARE = 0.8

/** A place to cut a view that is too large. */
export interface LimitCut {
  /** Messages before this index go. */
  readonly boundary: number
  /** The cut moved back, so as not to split a tool call from its results. */
  readonly moved: boolean
  readonly exceeded: 'maxMessages' | 'maxSessionBytes'
}

export function isLimited({ maxMessages, maxSessionBytes }: ViewLimit): boolean {
  return maxMessages !== undefined || maxSessionBytes !== undefined
}

/** Whether a view of this size is too large. */
export function exceededLimit(
  { maxMessages = Infinity, maxSessionBytes = Infinity }: ViewLimit,
  messages: number,
  bytes: number,
): LimitCut['exceeded'] | undefined {
  return messages > maxMessages ? 'maxMessages' : bytes > maxSessionBytes ? 'maxSessionBytes' : undefined
}

/**
 * Where to cut a view to which some messages are about to be added: to 80 % of the limit, with them, or a little more
 * if that would split a tool call from its results. `undefined` if they fit, or if nothing can go.
 */
export function limitCut<M extends object>(
  state: SessionState<M>,
  coming: readonly NormalMessage<M>[],
  limit: ViewLimit,
  toolLinks: ToolLinksOf | undefined,
): LimitCut | undefined {
  const count = state.length + coming.length
  let bytes = coming.reduce((sum, message) => sum + message.bytes, state.bytes)
  const exceeded = exceededLimit(limit, count, bytes)
  if (exceeded === undefined) return undefined
  const { maxMessages = Infinity, maxSessionBytes = Infinity } = limit
  const wanted = { messages: Math.max(1, maxMessages * KEPT_SHARE), bytes: maxSessionBytes * KEPT_SHARE }
  // The newest message is never cut: it is what the next answer is about.
  const most = Math.min(state.length, count - 1)
  let asked = 0
  while (asked < most && (count - asked > wanted.messages || bytes > wanted.bytes)) {
    bytes -= state.entries.bytes(asked)
    asked++
  }
  const messages = [...state.messages.slice(0, state.length), ...coming.map(({ message }) => message)]
  const boundary = safeBoundary(messages, asked, toolLinks)
  return boundary === 0 ? undefined : { boundary, moved: boundary !== asked, exceeded }
}
