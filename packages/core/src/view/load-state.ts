import type { Head, Range } from '../backend/backend.ts'
import { StoreError } from '../errors/store-error.ts'
import type { Run } from '../events/run.ts'
import type { Compacted, SessionEvent, SummarySet } from '../events/session-event.ts'
import { applyEvent, recordEvent } from './fold.ts'
import type { Projection } from './projection.ts'
import { readProjection, takeProjection } from './read-projection.ts'
import type { EventSource } from './read-events.ts'
import { readEvents, visitEvents } from './read-events.ts'
import type { SessionState } from './session-state.ts'
import { emptyState } from './session-state.ts'

/** How often a load starts again because the session was trimmed or erased under it. */
const ATTEMPTS = 10

/** The present state of a session, from as few events as possible. */
export async function loadState<M>(source: EventSource, session: string): Promise<SessionState<M>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const head = await source.backend.head(session)
    if (head === undefined) return emptyState()
    const projection = readProjection(head.projection)
    const state =
      (projection === undefined ? undefined : await loadByProjection<M>(source, session, head, projection)) ??
      (await foldLog<M>(source, session, head))
    if (state !== undefined) return state
  }
  throw new StoreError(
    'IO',
    `Session ${JSON.stringify(session)} was trimmed ${ATTEMPTS} times while it was read. Retry.`,
    {
      session,
    },
  )
}

/**
 * What the projection says and the events it points to: the view event, its runs, the summary, and what came after.
 * `undefined` if log and projection disagree; the log is right then.
 */
async function loadByProjection<M>(
  source: EventSource,
  session: string,
  head: Head,
  projection: Projection,
): Promise<SessionState<M> | undefined> {
  const state = emptyState<M>(head)
  if (projection.deleted !== true) {
    const ranges = await viewRanges(source, session, head, projection)
    if (ranges === undefined) return undefined
    const visit = (event: SessionEvent<M>): void => foldIntoView(state, event, projection)
    if (!(await visitEvents<M>(source, session, head, ranges, visit))) return undefined
    if (state.length !== projection.messages || typeof state.summary !== 'string') return undefined
  }
  takeProjection(state, head, projection, { withView: false })
  return state
}

/**
 * The state without its messages, from the head alone: as good for adding, at a cost that does not grow with the view.
 * A session that begins now is an outline as well: who only writes need not keep what nobody reads.
 * `undefined` if the projection is not enough.
 */
export async function loadOutline<M>({ backend }: EventSource, session: string): Promise<SessionState<M> | undefined> {
  const head = await backend.head(session)
  const state = emptyState<M>(head)
  state.isOutline = true
  if (head === undefined) return state
  const projection = readProjection(head.projection)
  if (projection === undefined || projection.deleted === true) return undefined
  if (projection.viewSeq > 0 && projection.runs === undefined) return undefined
  takeProjection(state, head, projection, { withView: true })
  return state
}

async function viewRanges(
  source: EventSource,
  session: string,
  head: Head,
  { viewSeq, runs, summarySeq }: Projection,
): Promise<Range[] | undefined> {
  if (viewSeq > head.last || summarySeq > head.last) return undefined
  const known = viewSeq === 0 ? [] : (runs ?? (await readRuns(source, session, head, viewSeq)))
  if (known === undefined) return undefined
  return rangesOf({ viewSeq, viewRuns: known, summarySeq }, head.last)
}

/** Where the view and the summary of a version come from. */
export interface Anchors {
  readonly viewSeq: number
  readonly viewRuns: readonly Run[]
  readonly summarySeq: number
}

/** Where the events are that a version is made of, not all of which need be left. */
export function rangesOf({ viewSeq, viewRuns, summarySeq }: Anchors, last: number): Range[] {
  const ranges: Range[] = viewRuns.map(([from, to]) => ({ from, to }))
  if (summarySeq > 0) ranges.push({ from: summarySeq, to: summarySeq })
  ranges.push({ from: Math.max(viewSeq, 1), to: last })
  return ranges
}

async function readRuns(
  source: EventSource,
  session: string,
  head: Head,
  viewSeq: number,
): Promise<readonly Run[] | undefined> {
  const [event] = (await readEvents(source, session, head, [{ from: viewSeq, to: viewSeq }])) ?? []
  return event !== undefined && 'view' in event ? event.view : undefined
}

/** Folds one event of those that a view is made of. */
export function foldIntoView<M>(
  state: SessionState<M>,
  event: SessionEvent<M>,
  { viewSeq, summarySeq }: Pick<Projection, 'viewSeq' | 'summarySeq'>,
): void {
  if (event.seq < viewSeq) recordEvent(state, event)
  else applyEvent(state, event, { keepRemoved: false })
  // A summary from before the view event is passed over by the fold above, and one before a run as well.
  if (event.seq === summarySeq) state.summary = (event as SummarySet | Compacted).summary
}

/** The state by the whole log, for a projection that is missing or wrong, and for `verify`. */
export async function foldLog<M>(
  source: EventSource,
  session: string,
  head: Head,
): Promise<SessionState<M> | undefined> {
  const state = emptyState<M>(head)
  const options = { keepRemoved: true, trimmed: head.first > 1 }
  const visit = (event: SessionEvent<M>): void => applyEvent(state, event, options)
  if (!(await visitEvents<M>(source, session, head, [{ from: head.first, to: head.last }], visit))) return undefined
  if (!state.viewIsWhole) {
    throw new StoreError(
      'CORRUPT',
      `The view of session ${JSON.stringify(session)} refers to messages before ${head.first}, which were removed.`,
      { session, seq: state.viewSeq },
    )
  }
  state.stored = []
  return state
}
