import type { Head } from '../backend/backend.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { frozen } from '../normalise/freeze.ts'
import type { Projection } from './projection.ts'
import type { SessionState } from './session-state.ts'
import { emptyState } from './session-state.ts'
import type { StateFieldName } from './state-fields.ts'
import { STATE_FIELD_LIST } from './state-fields.ts'

interface Projected {
  readonly name: StateFieldName
  readonly projected: keyof Projection
  readonly ofView: boolean
  /** What a projection without it stands for. */
  readonly absent: unknown
}

const EMPTY = emptyState()

const PROJECTED: readonly Projected[] = STATE_FIELD_LIST.flatMap(([name, { projected, ofView = false }]) =>
  projected === undefined ? [] : [{ name, projected, ofView, absent: EMPTY[name] }],
)

const NUMBERS = PROJECTED.filter(({ absent }) => typeof absent === 'number').map(({ projected }) => projected)

/** `undefined` if it is not one that this release understands; the log is folded then. */
export function readProjection(json: Json): Projection | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  const fields = json as JsonObject
  const { p, metadata, recentOps } = fields as { p?: Json; metadata?: Json; recentOps?: Json }
  if (p !== 1 || typeof metadata !== 'object' || metadata === null || !Array.isArray(recentOps)) return undefined
  if (!NUMBERS.every((name) => typeof fields[name] === 'number')) return undefined
  return fields as unknown as Projection
}

/** @param withView also what a load folds from the events of the view */
export function takeProjection(
  state: SessionState<unknown>,
  { last }: Head,
  projection: Projection,
  { withView }: { readonly withView: boolean },
): void {
  state.last = last
  const target = state as unknown as Record<StateFieldName, unknown>
  for (const { name, projected, ofView, absent } of PROJECTED) {
    if (!ofView || withView) target[name] = projection[projected] ?? absent
  }
  frozen(state.metadata)
}
