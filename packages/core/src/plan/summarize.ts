import { StoreError } from '../errors/store-error.ts'
import type { Position } from '../events/run.ts'
import type { Pin, ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from '../view/session-state.ts'
import type { CutResult } from './cut.ts'
import { planCut, requireIndex, safeCut } from './cut.ts'
import type { Draft } from './draft.ts'

/** A summary of everything up to a message, made from what the session was at a version. */
export interface SummaryRequest {
  readonly summary: string
  /** The last message that the summary covers. */
  readonly through: Position
  /** The version that was read to make it. */
  readonly version: number
}

/** One that must not reach a session that was erased and made anew since: there, positions mean other messages. */
export interface SummaryOfLife extends SummaryRequest {
  readonly incarnation?: string | undefined
  /** What the store cuts by itself leaves these in place. */
  readonly pin?: Pin | undefined
}

/**
 * Summary and cut in one. Whatever happened behind `through` stays; but if what the summary covers was cut or changed
 * since `version`, or somebody else summarised, it does not describe what would be cut.
 *
 * @param past the session at `version`, or as it was before this append if nothing but messages came since
 * @throws `CONFLICT`, and `INVALID_ARGUMENT` if nothing would be cut
 */
export function planSummarize<M extends object>(
  session: string,
  draft: Draft<M>,
  request: SummaryOfLife,
  past: SessionState<M> | undefined,
  toolLinks: ToolLinksOf | undefined,
): CutResult {
  const { state } = draft
  const { summary, through, version, incarnation, pin } = request
  const conflict = (why: string): StoreError =>
    new StoreError('CONFLICT', why, { session, expected: version, actual: state.last })
  const name = `session ${JSON.stringify(session)}`
  if (incarnation !== undefined && incarnation !== state.incarnation) {
    throw conflict(`S${name.slice(1)} was erased while its summary was written.`)
  }
  if (version > state.last) {
    throw conflict(
      `S${name.slice(1)} is at version ${state.last}; there is no version ${version} that a summary could be made from. Reload and summarise again.`,
    )
  }
  const index = requireIndex(session, state, through)
  const madeFrom = `The summary of ${name} was made from version ${version}, but`
  if (past === undefined) throw conflict(`${madeFrom} that was compacted away. Reload and summarise again.`)
  if (past.summary !== state.summary) throw conflict(`${madeFrom} another one came since. Reload and summarise again.`)
  if (through > version || !isSamePrefix(state, past, index)) {
    throw conflict(`${madeFrom} what it covers was cut or changed since. Reload and summarise again.`)
  }
  const cut = safeCut(state, { boundary: index + 1, asked: { through, version }, pin }, toolLinks)
  if (cut.boundary === cut.pinned) {
    throw new StoreError(
      'INVALID_ARGUMENT',
      `The summary through message ${through} of ${name} would cut nothing: a tool call among these messages has results behind them, or none yet. Summarise through a later message.`,
      { session },
    )
  }
  draft.setSummary(summary)
  return planCut(draft, cut)
}

/** Whether the views begin with the same messages, up to an index. One that was stored anew is still the same. */
function isSamePrefix(state: SessionState<unknown>, past: SessionState<unknown>, index: number): boolean {
  if (index >= past.length) return false
  for (let i = 0; i <= index; i++) if (!state.entries.has(i, past.entries.position(i))) return false
  return true
}
