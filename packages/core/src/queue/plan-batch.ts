import { Draft } from '../plan/draft.ts'
import type { SessionState } from '../view/session-state.ts'
import type { Intent, Refusal } from './intent.ts'
import { planIntent } from './intent.ts'

export type Outcome = { readonly result: object } | Refusal

/** What has been refused before it could be planned, by its place in the batch. */
export type Refused = ReadonlyMap<number, Refusal>

export interface BatchPlan<M> {
  /** The state that it was made on. */
  readonly settled: SessionState<M>
  readonly draft: Draft<M>
  /** One for each operation, in their order. */
  readonly outcomes: Outcome[]
}

export async function prepareAll<M>(intents: readonly Intent<M, object>[], settled: SessionState<M>): Promise<Refused> {
  const refused = new Map<number, Refusal>()
  for (const [index, intent] of intents.entries()) {
    await intent.prepare?.(settled).catch((error: unknown) => refused.set(index, { error }))
  }
  return refused
}

/**
 * Plans operations one after the other, each on what the ones before it will have done.
 *
 * A refusal concerns its operation alone. One that comes when events have been added already, as from the caller's own
 * `toolLinks`, would leave these in the append; so everything is planned anew without it.
 */
export function planBatch<M>(
  session: string,
  settled: SessionState<M>,
  now: number,
  intents: readonly Intent<M, object>[],
  refused?: Refused,
): BatchPlan<M> {
  const draft = new Draft<M>(settled, now)
  const outcomes: Outcome[] = []
  for (let index = 0; index < intents.length; index++) {
    const before = draft.events.length
    const outcome = planOne(session, draft, intents[index] as Intent<M, object>, refused?.get(index))
    if ('error' in outcome && draft.events.length > before) {
      return planBatch(session, settled, now, intents, new Map([...(refused ?? []), [index, outcome]]))
    }
    outcomes.push(outcome)
  }
  return { settled, draft, outcomes }
}

function planOne<M>(
  session: string,
  draft: Draft<M>,
  intent: Intent<M, object>,
  refusal: Refusal | undefined,
): Outcome {
  try {
    return { result: planIntent(session, draft, intent, refusal) }
  } catch (error) {
    return { error }
  }
}
