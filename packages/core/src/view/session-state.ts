import type { Head } from '../backend/backend.ts'
import type { Position, Run } from '../events/run.ts'
import type { RecentOp } from '../events/session-event.ts'
import type { UsageSums } from '../normalise/usage-sums.ts'
import type { JsonObject } from '../json/json.ts'
import { EntryList } from './entry-list.ts'
import type { ViewEntry } from './entry-list.ts'

/** A message that was recorded and is not in the view (yet). */
export interface StoredMessage<M> extends ViewEntry {
  readonly message: M
}

/**
 * What a session amounts to at one version. Events change it through the fold. Beside that, a load sets what the head
 * says, and a draft what no event carries: the incarnation of a new session, the start after a trim, and messages that
 * come back. A field that is added here belongs into `STATE_FIELDS` as well.
 *
 * `messages` and `entries` may be longer than `length`: a draft of the next append shares the arrays of the settled
 * state and writes behind its end, so that neither appending nor giving up copies a history. Whoever reads them stops
 * at `length`.
 */
export interface SessionState<M> {
  incarnation: string
  /** First readable seq. */
  first: number
  /** Version: seq of the last event. */
  last: number
  /** The last thing that happened is that the session was deleted. */
  deleted: boolean
  /** Only the numbers: the messages were not read, because what is only added to a view does not need them. */
  isOutline: boolean
  messages: M[]
  entries: EntryList
  /** How many messages are in the view. */
  length: number
  /** About the length of their JSON text. */
  bytes: number
  /**
   * Recorded messages that a later view event of the same fold may bring in: those outside the view, or with
   * `keepRemoved` all of them, in the order of their positions.
   */
  stored: StoredMessage<M>[]
  /** Seq of the last recorded message, -1 if the events before it were not read. */
  lastRecorded: number
  summary: string
  /** Seq of the event that carries the summary, 0 if there is none. */
  summarySeq: number
  /** Frozen, because callers are given it. */
  metadata: JsonObject
  createdAt: number
  updatedAt: number
  /** Seq of the last view event, 0 if there is none. */
  viewSeq: number
  viewRuns: readonly Run[]
  /** False while a fold of a trimmed log has met only view events that refer to what is gone. */
  viewIsWhole: boolean
  /** Bytes of runs written since short runs were last stored anew. */
  runBytes: number
  /** Seq of the last event that changed summary or view on somebody's request. */
  cutSeq: number
  /** The earliest version that can still be looked at. */
  minVersion: number
  /** About what all recorded messages take that are in the log, in the view or not. */
  recordedBytes: number
  /** Given up when an older message comes back into the view. */
  checkpoint: Checkpoint | undefined
  ops: readonly RecentOp[]
  /** Absent until there is a note of it, so that most projections do without. */
  usage: UsageSums | undefined
}

/** A place in the log from which on nothing before `start` is needed, so that it can be removed later. */
export interface Checkpoint {
  /** Seq of its `Compacted` event. */
  readonly seq: number
  readonly start: number
  readonly at: number
}

/** Callers are given the metadata itself, so it is always frozen. */
export const NO_METADATA: JsonObject = Object.freeze({})

export function emptyState<M>(head?: Pick<Head, 'first' | 'incarnation'>): SessionState<M> {
  return {
    incarnation: head?.incarnation ?? '',
    first: head?.first ?? 1,
    last: 0,
    deleted: false,
    isOutline: false,
    messages: [],
    entries: new EntryList(),
    length: 0,
    bytes: 0,
    stored: [],
    lastRecorded: -1,
    summary: '',
    summarySeq: 0,
    metadata: NO_METADATA,
    createdAt: 0,
    updatedAt: 0,
    viewSeq: 0,
    viewRuns: [],
    viewIsWhole: true,
    runBytes: 0,
    cutSeq: 0,
    minVersion: 0,
    recordedBytes: 0,
    checkpoint: undefined,
    ops: [],
    usage: undefined,
  }
}

/**
 * A copy for the next append to fold into. Field by field: spreading copies an object with fractions or large numbers
 * in it ten times as slowly, and every append makes one.
 */
export function copyState<M>(state: SessionState<M>): SessionState<M> {
  return {
    incarnation: state.incarnation,
    first: state.first,
    last: state.last,
    deleted: state.deleted,
    isOutline: state.isOutline,
    messages: state.messages,
    entries: state.entries,
    length: state.length,
    bytes: state.bytes,
    stored: [],
    lastRecorded: state.lastRecorded,
    summary: state.summary,
    summarySeq: state.summarySeq,
    metadata: state.metadata,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    viewSeq: state.viewSeq,
    viewRuns: state.viewRuns,
    viewIsWhole: state.viewIsWhole,
    runBytes: state.runBytes,
    cutSeq: state.cutSeq,
    minVersion: state.minVersion,
    recordedBytes: state.recordedBytes,
    checkpoint: state.checkpoint,
    ops: state.ops,
    usage: state.usage,
  }
}

/** The version that callers see: a deleted session is as one that never was. */
export function visibleVersion(state: SessionState<unknown>): number {
  return state.deleted ? 0 : state.last
}

/** Where in the view a message is that was handed out under this position, -1 if it is not there any more. */
export function indexOfPosition(state: SessionState<unknown>, position: Position): number {
  for (let i = state.length - 1; i >= 0; i--) {
    if (state.entries.has(i, position)) return i
  }
  return -1
}
