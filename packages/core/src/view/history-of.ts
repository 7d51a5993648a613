import { frozen } from '../normalise/freeze.ts'
import { countPinned, historyFor, placeCut } from '@turnlog/messages'
import type { HistoryApi, Pin, StartOn, ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from './session-state.ts'

export interface HistoryShape {
  readonly limit?: number | undefined
  readonly exact?: boolean | undefined
  readonly startOn?: StartOn | undefined
  readonly pin?: Pin | undefined
  readonly repair?: boolean | undefined
  readonly for?: HistoryApi | undefined
  readonly copy?: boolean | undefined
}

export interface ShapedHistory<M> {
  /** In an array of the caller's own. */
  readonly messages: M[]
  /** Which message of the view one of them is. One that was made counts as the message before it. */
  placeOf(this: void, index: number): number
  /** Where the history begins in the view, behind what is pinned; 0 if nothing of the view is left out. */
  readonly start: number
  /** Given if messages may stand for others: by message, the places in the view of all that it stands for. */
  readonly sources?: readonly (readonly number[])[]
}

export function historyOf<M extends object>(
  state: SessionState<M>,
  { limit, exact, repair, for: api, copy, startOn, pin }: HistoryShape,
  toolLinks: ToolLinksOf | undefined,
): ShapedHistory<M> {
  let messages = state.messages.slice(0, state.length)
  let pinned = 0
  let start = 0
  if (limit !== undefined && limit < messages.length) {
    const isBlind = exact === true || limit === 0
    if (pin === 'system' && !isBlind) pinned = countPinned(messages)
    const boundary = messages.length - (isBlind ? limit : Math.max(1, limit - pinned))
    start = isBlind ? boundary : placeCut(messages, boundary, startOn, toolLinks)
    pinned = Math.min(pinned, start)
    messages = [...messages.slice(0, pinned), ...messages.slice(start)]
  }
  const placeOf = (index: number): number => (index < pinned ? index : start - pinned + index)
  const from = start > pinned ? start : 0
  let sources: number[][] | undefined
  if (api !== undefined || repair === true) {
    const made = historyFor(messages, api, { toolLinks })
    messages = made.messages.map(frozen)
    sources = made.sources.map((own) => own.map(placeOf))
  }
  if (copy === true) messages = messages.map((message) => structuredClone(message))
  if (sources === undefined) return { messages, start: from, placeOf }
  let last = placeOf(0)
  const places = sources.map(([first]) => (last = first ?? last))
  return { messages, start: from, placeOf: (index) => places[index] ?? index, sources }
}

/**
 * How many messages of the view, from its beginning, are told by the first so many messages of a history: a summary of
 * those covers them, and a cut behind them removes nothing that nobody summarised. By message of the history.
 *
 * @param from where the history begins in the view; what lies before it, nobody has seen
 */
export function coveredBy(sources: readonly (readonly number[])[], from: number, length: number): number[] {
  if (from > 0) return sources.map(() => 0)
  const shownLast = Array<number>(length).fill(-1)
  for (const [index, own] of sources.entries()) for (const place of own) shownLast[place] = index
  let covered = 0
  return sources.map((_, index) => {
    while (covered < length && (shownLast[covered] ?? length) <= index) covered++
    return covered
  })
}
