import type { SessionStates } from '../cache/session-states.ts'
import { StoreError } from '../errors/store-error.ts'
import { checkKey } from '../keys/check-key.ts'
import type { Draft } from '../plan/draft.ts'
import { planFork } from '../plan/fork.ts'
import type { SessionQueues } from '../queue/session-queues.ts'
import type { EventSource } from '../view/read-events.ts'
import { visibleVersion } from '../view/session-state.ts'
import { stateAt } from '../view/state-at.ts'
import { checkObject, checkWholeNumber } from '../errors/check-arguments.ts'
import type { WriteResult } from './session-store.ts'

interface ForkContext<M> {
  readonly source: EventSource
  readonly states: SessionStates<M>
  readonly queues: SessionQueues<M>
}

/**
 * Reads one session as it was at a version, by default now, and writes another one from it.
 *
 * @throws `NOT_FOUND`, `CONFLICT`, `INVALID_ARGUMENT`, `TRIMMED`
 */
export async function forkSession<M extends object>(
  { source, states, queues }: ForkContext<M>,
  from: string,
  to: string,
  options: { readonly at?: number },
): Promise<WriteResult> {
  checkKey(to)
  const { at: wanted } = checkObject('options', options, ['at'])
  if (wanted !== undefined) checkWholeNumber('at', wanted)
  const present = await states.load(from)
  const version = visibleVersion(present)
  if (version === 0) {
    throw new StoreError('NOT_FOUND', `Cannot fork session ${JSON.stringify(from)}: it does not exist.`, {
      session: from,
    })
  }
  const at = wanted ?? version
  const origin = { ...(await stateAt(source, from, present, at)), metadata: present.metadata }
  const plan = (draft: Draft<M>): void => planFork(draft, origin, { from, at })
  return queues.enqueue(to, { bytes: origin.bytes, expectedVersion: 0, plan })
}
