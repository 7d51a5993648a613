import type { UsageSums } from '../normalise/usage-sums.ts'
import type { Compacted } from '../events/session-event.ts'
import type { Projection } from './projection.ts'
import type { SessionState } from './session-state.ts'

/** Where a field of a session's state comes from when not the whole log is folded. */
interface StateField {
  /** The field of the projection that carries it. */
  readonly projected?: Exclude<keyof Projection, 'p'>
  /** A load folds it from the events of the view; only an outline, which reads none, takes it from the projection. */
  readonly ofView?: true
  /** `Compacted` states it again under the same name, because events that said it are removed. */
  readonly restated?: true
}

/**
 * Every field of a session's state. `emptyState`, `copyState` and `projectionOf` are written out because every append
 * runs through them: the compiler holds the first two to the state, a test holds the third to this table.
 */
export const STATE_FIELDS = {
  incarnation: {},
  first: {},
  last: {},
  deleted: { projected: 'deleted' },
  isOutline: {},
  messages: {},
  entries: {},
  length: { projected: 'messages', ofView: true },
  bytes: { projected: 'bytes', ofView: true },
  stored: {},
  lastRecorded: {},
  summary: { restated: true },
  summarySeq: { projected: 'summarySeq' },
  metadata: { projected: 'metadata', restated: true },
  createdAt: { projected: 'createdAt', restated: true },
  updatedAt: { projected: 'updatedAt', restated: true },
  viewSeq: { projected: 'viewSeq', ofView: true },
  viewRuns: { projected: 'runs', ofView: true },
  viewIsWhole: {},
  runBytes: { projected: 'runBytes' },
  cutSeq: { projected: 'cutSeq', restated: true },
  minVersion: { projected: 'minVersion' },
  recordedBytes: { projected: 'recordedBytes' },
  checkpoint: { projected: 'checkpoint' },
  ops: { projected: 'recentOps', restated: true },
  usage: { projected: 'usage', restated: true },
} as const

export type StateFieldName = keyof SessionState<unknown>

/** In the order of the table. */
export const STATE_FIELD_LIST: readonly (readonly [StateFieldName, StateField])[] = Object.entries(
  STATE_FIELDS satisfies Record<StateFieldName, StateField>,
) as [StateFieldName, StateField][]

type RestatedName = {
  [Name in StateFieldName]: (typeof STATE_FIELDS)[Name] extends { readonly restated: true } ? Name : never
}[StateFieldName]

/** What `Compacted` states again as it is. */
export type Restated = Omit<Pick<SessionState<unknown> & Compacted, RestatedName>, 'usage'> & {
  readonly usage?: UsageSums | undefined
}

const RESTATED = STATE_FIELD_LIST.filter(([, { restated }]) => restated === true).map(([name]) => name as RestatedName)

export function restatedOf(from: Restated): Restated {
  return Object.fromEntries(RESTATED.map((name) => [name, from[name]])) as unknown as Restated
}
