import type { Head } from '../backend/backend.ts'
import { isDamage, listIntactSessions } from '../backend/list-intact.ts'
import { isUnfinishedCopy } from '../backend/unfinished-copy.ts'
import { problemOf } from '../backend/problem-of.ts'
import type { StoreError } from '../errors/store-error.ts'
import { isStoreError } from '../errors/store-error.ts'
import { sameJson } from '../normalise/same-json.ts'
import { foldLog } from '../view/load-state.ts'
import { projectionOf } from '../view/projection.ts'
import { readProjection } from '../view/read-projection.ts'
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
    sessions++
    events += head.last - head.first + 1
    const problem = await verifySession(source, key, head)
    if (problem === undefined) return
    // What the backend has told of an event already, it has told better.
    const isTold =
      problem.seq !== undefined && problems.some(({ session: of, seq }) => of === key && seq === problem.seq)
    if (!isTold) problems.push(problem)
  }
  /** Of a session whose head cannot be had. */
  const tell = (damage: StoreError): void => {
    if (damage.session !== undefined) sessions++
    if (!problems.some((problem) => isAbout(problem, damage))) problems.push(problemOf(damage))
  }
  if (session === undefined) {
    for await (const head of listIntactSessions(source.backend, {}, tell)) await check(head.session, head)
  } else {
    const head = await source.backend.head(session).catch((error: unknown) => {
      if (!isDamage(error)) throw error
      tell(error)
      return undefined
    })
    if (head !== undefined) await check(session, head)
  }
  return { ok: problems.length === 0, sessions, events, problems }
}

async function verifySession(source: EventSource, session: string, head: Head): Promise<VerifyProblem | undefined> {
  try {
    const state = await foldLog(source, session, head)
    if (state === undefined) return undefined // it was trimmed or erased meanwhile
    // Missing is not wrong: a repair that wrote the log anew leaves it to the next write to derive it.
    if (head.projection === null) return undefined
    if (isUnfinishedCopy(head.projection)) {
      return { session, message: 'It was copied only in part, up to its last event here. Copy again to complete it.' }
    }
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

function isAbout({ session, file, message }: VerifyProblem, damage: StoreError): boolean {
  if (damage.session !== undefined) return session === damage.session
  return damage.file === undefined ? message === damage.message : file === damage.file
}
