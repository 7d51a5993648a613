import { StoreError } from '../errors/store-error.ts'
import { addedPositions } from '../events/added-positions.ts'
import type { Draft, Operation } from '../plan/draft.ts'
import type { ViewChange } from '../plan/view-change.ts'
import { viewChange } from '../plan/view-change.ts'
import { operationDigest, readOp } from '../view/fold.ts'
import type { SessionState } from '../view/session-state.ts'
import { visibleVersion } from '../view/session-state.ts'

/** What a caller wants, waiting for its turn. Nothing about it is decided before the append that carries it. */
export interface Intent<M, R extends object> {
  /** About what it will add to the log, so that an append stays bounded. */
  readonly bytes: number
  /** It looks at no message of the view: the outline of the session is enough to plan it. */
  readonly onlyAdds?: boolean | undefined
  readonly expectedVersion?: number | undefined
  readonly operation?: Operation | undefined
  /** Reads what planning needs beside the state. */
  readonly prepare?: ((settled: SessionState<M>) => Promise<void>) | undefined
  /** What it gives comes beside the version. If it throws, nothing of it is written. */
  plan(draft: Draft<M>): R | void
  /** Goes on when it is written, before anything that was asked for later is planned. */
  readonly afterwards?: (() => Promise<void>) | undefined
}

/** Why an operation does not happen. */
export interface Refusal {
  readonly error: unknown
}

export type Planned<R> = R & ViewChange & { readonly version: number }

/**
 * Plans one operation on a draft. `refusal` is what it was refused with before; if it has happened already, that does
 * not matter.
 *
 * @throws `CONFLICT`, and whatever the operation's own checks throw
 */
export function planIntent<M, R extends object>(
  session: string,
  draft: Draft<M>,
  intent: Intent<M, R>,
  refusal?: Refusal,
): Planned<R> {
  const { operation, expectedVersion } = intent
  const repeated = operation === undefined ? undefined : findRepeated(session, draft.state, operation)
  if (repeated !== undefined) return repeated as Planned<R>
  const version = visibleVersion(draft.state)
  if (expectedVersion !== undefined && expectedVersion !== version) {
    throw new StoreError(
      'CONFLICT',
      expectedVersion === 0
        ? `Session ${JSON.stringify(session)} exists already, at version ${version}. Choose another key, or reload and retry.`
        : `Session ${JSON.stringify(session)} is at version ${version}, not ${expectedVersion}. Reload and retry.`,
      { session, expected: expectedVersion, actual: version },
    )
  }
  if (refusal !== undefined) throw refusal.error
  draft.operation = operation
  const { messages, length, bytes, entries } = draft.state
  const from = draft.events.length
  try {
    const result = intent.plan(draft)
    const change = viewChange({ messages, length, bytes, entries }, draft.state, draft.events, from)
    return { ...result, version: visibleVersion(draft.state), ...change } as Planned<R>
  } finally {
    draft.operation = undefined
  }
}

/** The first result of an operation that has already happened. */
function findRepeated(session: string, state: SessionState<unknown>, { id, hash }: Operation): object | undefined {
  const digest = operationDigest(id)
  const op = state.ops.findLast(([known]) => known === digest)
  if (op === undefined) return undefined
  const [, request, version] = op
  if (request !== hash) {
    throw new StoreError(
      'CONFLICT',
      `Operation id ${JSON.stringify(id)} was used before in session ${JSON.stringify(session)}, for something else. Use a new id.`,
      { session, actual: state.last },
    )
  }
  const { cut, added } = readOp(op)
  const positions = added === undefined ? undefined : addedPositions(added)
  return { version, ...cut, ...(positions === undefined ? undefined : { positions }) }
}
