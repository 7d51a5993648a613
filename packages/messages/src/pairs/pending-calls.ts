import { matchPairs } from './match-pairs.ts'
import { readLinks, type ToolLinksOf } from './tool-links.ts'

/** A tool call that has no result yet. */
export interface PendingCall {
  readonly id: string
  /** Of the message that makes the call. */
  readonly index: number
}

/**
 * The calls at the end of a history that nobody has answered yet: after a crash, what an agent must run, or answer, to
 * go on. Whether a tool had started only a note can say that was written before it did.
 */
export function pendingCalls(
  messages: readonly object[],
  options: { readonly toolLinks?: ToolLinksOf } = {},
): PendingCall[] {
  const links = messages.map((message) => readLinks(message, options.toolLinks))
  return matchPairs(messages, links)
    .calls.filter(({ result, isPending }) => result === undefined && isPending)
    .map(({ link, at }) => ({ id: link.id, index: at }))
}
