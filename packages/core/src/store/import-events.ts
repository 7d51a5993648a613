import type { Backend } from '../backend/backend.ts'
import type { SessionStates } from '../cache/session-states.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import { textHash } from '../ids/text-hash.ts'
import { normaliseJson } from '../normalise/normalise-json.ts'
import { normaliseMessage } from '../normalise/normalise-message.ts'
import type { NormalImport } from '../plan/import-events.ts'
import { planImportEvents } from '../plan/import-events.ts'
import type { SessionQueues } from '../queue/session-queues.ts'
import { operationDigest } from '../view/fold.ts'
import { checkFlag, checkObject, checkText, checkWholeNumber, describe } from '../errors/check-arguments.ts'
import { checkOperationId } from './check-options.ts'
import { normaliseMetadata } from './normalise-metadata.ts'
import type { ImportedEvent, ImportOptions, ImportOutcome } from './session-store.ts'

interface ImportContext<M> {
  readonly backend: Backend
  readonly states: SessionStates<M>
  readonly queues: SessionQueues<M>
  readonly maxMessageBytes: number
}

/** @throws `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `TOO_LARGE` */
export async function importEvents<M extends object>(
  { backend, states, queues, maxMessageBytes }: ImportContext<M>,
  session: string,
  given: readonly ImportedEvent<M>[],
  options: ImportOptions,
): Promise<ImportOutcome> {
  const { operationId, dryRun } = checkObject('options', options, ['operationId', 'dryRun'])
  checkOperationId(operationId)
  checkFlag('dryRun', dryRun)
  if (!Array.isArray(given))
    throw new StoreError('INVALID_ARGUMENT', `events must be an array, got ${describe(given)}.`)
  const events = given.map((event, index) => normaliseEvent<M>(event, `events[${index}]`, maxMessageBytes))
  if (dryRun === true) {
    const { last, ops } = await states.load(session)
    if (last === 0) return 'imported'
    const digest = operationDigest(operationId)
    if (ops.some(([id]) => id === digest)) return 'already-there'
    return (await beganWith(backend, session, operationId)) ? 'already-there' : 'conflict'
  }
  let outcome: ImportOutcome = 'already-there'
  try {
    await queues.enqueue(session, {
      bytes: events.reduce((sum, { bytes }) => sum + bytes, 0),
      operation: { id: operationId, hash: textHash(operationId) },
      plan: (draft) => {
        planImportEvents(session, draft, events)
        outcome = 'imported'
      },
    })
    return outcome
  } catch (error) {
    if (!isStoreError(error, 'CONFLICT')) throw error
    return (await beganWith(backend, session, operationId)) ? 'already-there' : 'conflict'
  }
}

/** A session with many operations since then has forgotten this one, but its log still begins with it. */
async function beganWith(backend: Backend, session: string, operationId: string): Promise<boolean> {
  for await (const [event] of backend.read(session, [{ from: 1, to: 1 }])) return event?.op === operationId
  return false
}

function normaliseEvent<M extends object>(given: ImportedEvent<M>, place: string, maxBytes: number): NormalImport<M> {
  const { at, source: path = place } = checkObject(place, given)
  checkWholeNumber(`${path}.at`, at)
  switch (given.type) {
    case 'MessageAdded':
      return { type: given.type, at, ...normaliseMessage<M>(given.message, `${path}.message`, maxBytes) }
    case 'Truncated':
      checkWholeNumber(`${path}.keepLast`, given.keepLast)
      return { type: given.type, at, keepLast: given.keepLast, bytes: 0 }
    case 'SummarySet':
      checkText(`${path}.summary`, given.summary)
      return { type: given.type, at, summary: given.summary, bytes: given.summary.length }
    case 'MetadataSet':
      return { type: given.type, at, metadata: normaliseMetadata(given.metadata), bytes: 0 }
    case 'Noted': {
      checkText(`${path}.kind`, given.kind)
      const { value, bytes } = normaliseJson(given.data, `${path}.data`)
      return { type: given.type, at, kind: given.kind, data: value, bytes }
    }
  }
  throw new StoreError('INVALID_ARGUMENT', `${path}.type is none of the types that can be imported.`)
}
