import { StoreError } from '../errors/store-error.ts'
import type { Position } from '../events/run.ts'
import type { ToolLinksOf } from '@turnlog/messages'
import type { CutResult } from './cut.ts'
import { planCut, requireIndex } from './cut.ts'
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
}

/**
 * Summary and cut in one. What was appended while the summary was written stays; but if somebody else summarised,
 * cut or replaced in between, the summary does not describe what would be cut.
 *
 * @throws `CONFLICT`
 */
export function planSummarize<M extends object>(
  session: string,
  draft: Draft<M>,
  { summary, through, version, incarnation }: SummaryOfLife,
  toolLinks: ToolLinksOf | undefined,
): CutResult {
  const { state } = draft
  if (incarnation !== undefined && incarnation !== state.incarnation) {
    throw new StoreError('CONFLICT', `Session ${JSON.stringify(session)} was erased while its summary was written.`, {
      session,
      expected: version,
      actual: state.last,
    })
  }
  if (version > state.last) {
    throw new StoreError(
      'CONFLICT',
      `Session ${JSON.stringify(session)} is at version ${state.last}; there is no version ${version} that a summary could be made from. Reload and summarise again.`,
      { session, expected: version, actual: state.last },
    )
  }
  if (state.cutSeq > version) {
    throw new StoreError(
      'CONFLICT',
      `The summary of session ${JSON.stringify(session)} was made from version ${version}, but another summary, cut or replacement came at ${state.cutSeq}. Reload and summarise again.`,
      { session, expected: version, actual: state.last },
    )
  }
  const boundary = requireIndex(session, state, through) + 1
  draft.setSummary(summary)
  // A repeat of the operation is answered with the counts of its cut.
  const isRecorded = draft.operation !== undefined
  return planCut(draft, { boundary, exact: false, asked: { through, version }, isRecorded }, toolLinks)
}
