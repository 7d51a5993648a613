import type { Head } from '../backend/backend.ts'
import { isStoreError } from '../errors/store-error.ts'
import { sameJson } from '../normalise/same-json.ts'
import { foldLog } from '../view/load-state.ts'
import { projectionOf, readProjection } from '../view/projection.ts'
import type { EventSource } from '../view/read-events.ts'
import type { VerifyProblem, VerifyReport } from './session-store.ts'

/**
 * Lets the backend check its storage, then folds every log and compares the result with the stored projection.
 * Damage is reported, not thrown; only what prevents looking at all is thrown.
 */
export async function verifyStore(source: EventSource, session?: string): Promise<VerifyReport> {
  const stored = await source.backend.maintenance?.verify(session === undefined ? {} : { session })
  const problems: VerifyProblem[] = [...(stored?.problems ?? [])]
  let sessions = 0
  let events = 0
  const check = async (key: string, head: Head): Promise<void> => {
    sessions += 1
    events += head.last - head.first + 1
    const problem = await verifySession(source, key, head)
    if (problem !== undefined) problems.push(problem)
  }
  if (session !== undefined) {
    const head = await source.backend.head(session)
    if (head !== undefined) await check(session, head)
  } else {
    for await (const batch of source.backend.list()) {
      for (const head of batch) await check(head.session, head)
    }
  }
  return { ok: problems.length === 0, sessions, events, problems }
}

async function verifySession(source: EventSource, session: string, head: Head): Promise<VerifyProblem | undefined> {
  try {
    const state = await foldLog(source, session, head)
    if (state === undefined) return undefined // it was trimmed or erased meanwhile
    const projection = readProjection(head.projection)
    if (projection !== undefined && sameJson(projection, projectionOf(state))) return undefined
    return {
      session,
      message: 'The stored projection is not what the log amounts to. The log is used; the next write renews it.',
    }
  } catch (error) {
    if (!isStoreError(error)) throw error
    return { session, message: error.message, ...(error.seq === undefined ? undefined : { seq: error.seq }) }
  }
}
