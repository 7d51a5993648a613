import { frozen } from '../normalise/freeze.ts'
import { repairPairs } from '@turnlog/messages'
import { safeBoundary } from '@turnlog/messages'
import type { ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from './session-state.ts'

export interface HistoryShape {
  readonly limit?: number | undefined
  readonly exact?: boolean | undefined
  readonly repair?: boolean | undefined
  readonly copy?: boolean | undefined
}

/** The messages of a state as a caller wants them, in an array of the caller's own. */
export function historyOf<M extends object>(
  state: SessionState<M>,
  { limit, exact, repair, copy }: HistoryShape,
  toolLinks: ToolLinksOf | undefined,
): M[] {
  let messages = state.messages.slice(0, state.length)
  if (limit !== undefined && limit < messages.length) {
    const boundary = messages.length - limit
    messages = messages.slice(exact === true || limit === 0 ? boundary : safeBoundary(messages, boundary, toolLinks))
  }
  if (repair === true) {
    messages = repairPairs(messages, toolLinks === undefined ? {} : { toolLinks }).messages.map(frozen)
  }
  return copy === true ? messages.map((message) => structuredClone(message)) : messages
}
