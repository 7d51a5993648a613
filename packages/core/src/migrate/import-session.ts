import type { Backend } from '../backend/backend.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import { textHash } from '../ids/text-hash.ts'
import type { StoreInternals } from '../store/store-internals.ts'
import { operationDigest } from '../view/fold.ts'
import type { LegacySession } from './legacy-session.ts'
import { planImport } from './plan-import.ts'

export type ImportOutcome = 'imported' | 'already-there' | 'conflict'

/**
 * Writes a legacy session, in one append. The id of the operation comes from the contents of its files, so a repeat is
 * recognised and writes nothing.
 */
export async function importSession<M extends object>(
  internals: StoreInternals<M>,
  session: LegacySession,
  operationId: string,
): Promise<ImportOutcome> {
  const { key } = session
  let outcome: ImportOutcome = 'already-there'
  try {
    await internals.write(key, {
      bytes: session.messages.reduce((sum, { bytes }) => sum + bytes, 0),
      operation: { id: operationId, hash: textHash(operationId) },
      plan: (draft) => {
        if (draft.state.last > 0) throw conflict(key, draft.state.last)
        planImport(draft, session, internals.maxMessageBytes(key))
        outcome = 'imported'
        return {}
      },
    })
    return outcome
  } catch (error) {
    if (!isStoreError(error, 'CONFLICT')) throw error
    return (await beganWith(internals.backend, key, operationId)) ? 'already-there' : 'conflict'
  }
}

/** What `importSession` would do. */
export async function foreseeImport<M extends object>(
  internals: StoreInternals<M>,
  key: string,
  operationId: string,
): Promise<ImportOutcome> {
  const { last, ops } = await internals.load(key)
  if (last === 0) return 'imported'
  const digest = operationDigest(operationId)
  const isKnown = ops.some(([id]) => id === digest) || (await beganWith(internals.backend, key, operationId))
  return isKnown ? 'already-there' : 'conflict'
}

/** A session that has been busy since has forgotten the operation, but its log begins with it. */
async function beganWith(backend: Backend, key: string, operationId: string): Promise<boolean> {
  for await (const [event] of backend.read(key, [{ from: 1, to: 1 }])) return event?.op === operationId
  return false
}

function conflict(session: string, actual: number): StoreError {
  return new StoreError('CONFLICT', `Session ${JSON.stringify(session)} exists already.`, {
    session,
    expected: 0,
    actual,
  })
}
