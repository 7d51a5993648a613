import type { Head } from '../backend/backend.ts'
import { StoreError } from '../errors/store-error.ts'
import { upcast } from '../events/upcast.ts'
import type { Anchors } from './load-state.ts'
import { foldIntoView, rangesOf } from './load-state.ts'
import type { SessionEvent } from '../events/session-event.ts'
import type { EventSource } from './read-events.ts'
import { explainGap, visitEvents } from './read-events.ts'
import type { SessionState } from './session-state.ts'
import { emptyState, visibleVersion } from './session-state.ts'

/**
 * View and summary as they were at an earlier version.
 *
 * @param at a whole number from 0 on
 * @throws `INVALID_ARGUMENT` if there is no such version yet
 * @throws `TRIMMED` if it is older than what compaction left
 */
export async function stateAt<M>(
  source: EventSource,
  session: string,
  present: SessionState<M>,
  at: number,
): Promise<SessionState<M>> {
  checkVersion(session, present, at)
  if (at === present.last) return present
  const head: Head = { ...present, bytes: 0, projection: null, last: at }
  const anchors = await findAnchors(source, session, present, at)
  const state = emptyState<M>(head)
  const visit = (event: SessionEvent<M>): void => foldIntoView(state, event, anchors)
  if (!(await visitEvents<M>(source, session, head, rangesOf(anchors, at), visit))) throw trimmedVersion(session, at)
  state.last = at
  return state
}

function checkVersion(session: string, present: SessionState<unknown>, at: number): void {
  const version = visibleVersion(present)
  if (at > present.last || (at > 0 && version === 0)) {
    throw new StoreError(
      'INVALID_ARGUMENT',
      `Session ${JSON.stringify(session)} is at version ${version}; there is no version ${at} yet.`,
      { session, expected: at, actual: version },
    )
  }
  if (at < present.minVersion) throw trimmedVersion(session, at, present.minVersion)
}

export function trimmedVersion(session: string, at: number, minVersion?: number): StoreError {
  const since = minVersion === undefined ? '' : `; the earliest that can be looked at is ${minVersion}`
  return new StoreError('TRIMMED', `Version ${at} of session ${JSON.stringify(session)} was compacted away${since}.`, {
    session,
    seq: at,
  })
}

/**
 * The last view event and the last summary up to a version. What is still in force needs no search.
 *
 * @throws `TRIMMED` if a part of the log went while it was searched: what was not found in the rest may have been there
 */
async function findAnchors<M>(
  source: EventSource,
  session: string,
  present: SessionState<M>,
  at: number,
): Promise<Anchors> {
  let view = present.viewSeq <= at ? { seq: present.viewSeq, view: present.viewRuns } : undefined
  let summarySeq = present.summarySeq <= at ? present.summarySeq : undefined
  const found = (): Anchors => ({ viewSeq: view?.seq ?? 0, viewRuns: view?.view ?? [], summarySeq: summarySeq ?? 0 })
  let next = at
  const range = { from: present.first, to: at }
  if (view !== undefined && summarySeq !== undefined) return found()
  search: for await (const batch of source.backend.read(session, [range], { reverse: true })) {
    for (const record of batch) {
      if (record.seq !== next) break search
      next--
      const event = upcast<M>(session, record, source.schema)
      if ('inert' in event) continue // whatever else it has, it means nothing to this release
      if ('view' in event) view ??= event
      if ('summary' in event) summarySeq ??= event.summary === '' ? 0 : event.seq
      if (view !== undefined && summarySeq !== undefined) return found()
    }
  }
  if (next < present.first) return found()
  await explainGap(source, session, present, next)
  throw trimmedVersion(session, at)
}
