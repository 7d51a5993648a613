import type { Run } from '../events/run.ts'
import type { RecentOp } from '../events/session-event.ts'
import type { UsageSums } from '../normalise/usage-sums.ts'
import type { JsonObject } from '../json/json.ts'
import type { Checkpoint, SessionState } from './session-state.ts'

/** Up to this many runs are kept with the head, so that a cold load needs no read of its own for the view event. */
const MAX_RUNS = 32

/**
 * The small summary of a session that a backend stores with each append and returns with `head` and `list`: enough to
 * list sessions, to expire them, and to know which few events a cold load has to read. Derived from the log, at most
 * 8 KB: 4 KB of metadata, 32 operations of some 50 bytes, 32 runs, the usage of a few models.
 */
export interface Projection {
  readonly p: 1
  readonly viewSeq: number
  /** The runs of the view event, if they are few. */
  readonly runs?: readonly Run[]
  readonly summarySeq: number
  readonly messages: number
  /** About the length of the view's JSON text. */
  readonly bytes: number
  readonly runBytes: number
  readonly cutSeq: number
  readonly minVersion: number
  /** About what all messages in the log take as JSON text, in the view or not. */
  readonly recordedBytes: number
  readonly checkpoint?: Checkpoint
  readonly metadata: JsonObject
  readonly recentOps: readonly RecentOp[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly deleted?: true
  /** Not among `PROJECTION_FIELDS_V1`: the projection of a session with it is stored as it is. */
  readonly usage?: UsageSums
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/**
 * Field by field, because every append makes one, and leaving a field out by spreading nothing takes twenty times as
 * long. In the order of `PROJECTION_FIELDS_V1`, by which a backend may store it in half the bytes.
 */
export function projectionOf(state: SessionState<unknown>): Projection {
  const projection = { p: 1, viewSeq: state.viewSeq } as Writable<Projection>
  if (state.viewSeq > 0 && state.viewRuns.length <= MAX_RUNS) projection.runs = state.viewRuns
  projection.summarySeq = state.summarySeq
  projection.messages = state.length
  projection.bytes = state.bytes
  projection.runBytes = state.runBytes
  projection.cutSeq = state.cutSeq
  projection.minVersion = state.minVersion
  projection.recordedBytes = state.recordedBytes
  if (state.checkpoint !== undefined) projection.checkpoint = state.checkpoint
  projection.metadata = state.metadata
  projection.recentOps = state.ops
  projection.createdAt = state.createdAt
  projection.updatedAt = state.updatedAt
  if (state.deleted) projection.deleted = true
  if (state.usage !== undefined) projection.usage = state.usage
  return projection
}
