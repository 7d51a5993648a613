import type { EventRecord } from '../backend/event-record.ts'
import { StoreError } from '../errors/store-error.ts'
import type { EventType, SessionEvent } from './session-event.ts'

/** Turns the data of version n of an event into that of version n + 1. */
export type Upcaster = (record: EventRecord) => EventRecord

/** Per type: what leads from version 1 to 2, 2 to 3 and so on. The present version is one more than their number. */
export type EventSchema = Readonly<Record<string, readonly Upcaster[]>>

/** The versions that this release writes. Adding a step here is the whole of a schema change. */
export const EVENT_SCHEMA: EventSchema & Readonly<Record<EventType, readonly Upcaster[]>> = {
  MessageAdded: [],
  MessageStored: [],
  Truncated: [],
  HistoryReplaced: [],
  SummarySet: [],
  MetadataSet: [],
  Noted: [],
  Compacted: [],
  SessionDeleted: [],
}

/**
 * Brings a stored record to the version that this release works with.
 *
 * @throws `UNSUPPORTED` for a newer version, and for an unknown type that does not say it may be skipped
 */
export function upcast<M>(session: string, record: EventRecord, schema: EventSchema = EVENT_SCHEMA): SessionEvent<M> {
  const steps = Object.hasOwn(schema, record.type) ? schema[record.type] : undefined
  if (steps === undefined) {
    if (record['inert'] === true) return record as unknown as SessionEvent<M>
    throw unsupported(session, record, `its type ${JSON.stringify(record.type)} is unknown`)
  }
  const present = steps.length + 1
  if (record.v === present) return record as unknown as SessionEvent<M>
  if (!(record.v >= 1 && record.v < present)) {
    throw unsupported(
      session,
      record,
      `${record.type} has version ${record.v}, and this release knows up to ${present}`,
    )
  }
  let upcasted = record
  for (const step of steps.slice(record.v - 1)) upcasted = step(upcasted)
  return { ...upcasted, v: present } as unknown as SessionEvent<M>
}

function unsupported(session: string, record: EventRecord, why: string): StoreError {
  return new StoreError(
    'UNSUPPORTED',
    `Cannot read event ${record.seq} of session ${JSON.stringify(session)}: ${why}. Update Turnlog to the version that wrote it.`,
    { session, seq: record.seq },
  )
}
