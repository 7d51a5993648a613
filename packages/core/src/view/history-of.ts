import { frozen } from '../normalise/freeze.ts'
import { repairPairs, safeBoundary } from '@turnlog/messages'
import type { ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from './session-state.ts'

export interface HistoryShape {
  readonly limit?: number | undefined
  readonly exact?: boolean | undefined
  readonly repair?: boolean | undefined
  readonly copy?: boolean | undefined
}

export interface ShapedHistory<M> {
  /** In an array of the caller's own. */
  readonly messages: M[]
  /** Which message of the view one of them is. An answer that a repair made counts as the message before it. */
  placeOf(this: void, index: number): number
}

export function historyOf<M extends object>(
  state: SessionState<M>,
  { limit, exact, repair, copy }: HistoryShape,
  toolLinks: ToolLinksOf | undefined,
): ShapedHistory<M> {
  let messages = state.messages.slice(0, state.length)
  let start = 0
  if (limit !== undefined && limit < messages.length) {
    const boundary = messages.length - limit
    start = exact === true || limit === 0 ? boundary : safeBoundary(messages, boundary, toolLinks)
    messages = messages.slice(start)
  }
  let sources: number[] | undefined
  if (repair === true) {
    const repaired = repairPairs(messages, toolLinks === undefined ? {} : { toolLinks })
    messages = repaired.messages.map(frozen)
    let last = 0
    sources = repaired.sources.map((source) => (source < 0 ? last : (last = source)))
  }
  if (copy === true) messages = messages.map((message) => structuredClone(message))
  return { messages, placeOf: (index) => start + (sources?.[index] ?? index) }
}
