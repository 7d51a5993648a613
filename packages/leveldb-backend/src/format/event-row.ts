import type { EventRecord, Json } from '@turnlog/core/backend'

import { decodePayload, encodePayload } from './payload-codec.ts'
import type { SessionKeys } from './row-keys.ts'
import { checkValue, corruptRow, HEADER_BYTES, JSON_TEXT, SEGMENT, sealValue } from './row-value.ts'
import { decodeSegment, segmentSpan } from './segment.ts'

/** One encoded event: what is in a single row. */
export interface EventRow {
  readonly seq: number
  readonly json: boolean
  /** Header (filled in by `sealEvent`) and payload: part of a large buffer, so not to be kept for long. */
  readonly value: Buffer
}

export function encodeEvent(event: EventRecord): EventRow {
  const { value, json } = encodePayload(event as Json)
  return { seq: event.seq, json, value }
}

export function sealEvent(keys: SessionKeys, { seq, json, value }: EventRow): Buffer {
  const flags = json ? JSON_TEXT : 0
  return sealValue(value, flags, keys.eventSum(seq))
}

/** The seqs of some events in a row. */
export interface Span {
  readonly first: number
  readonly last: number
}

/**
 * Which events a row holds, after its checksum was found right. `expected` is a seq that it must hold; a single row has
 * no seq outside its payload, so its key, and with it the checksum, is taken to be that one.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`
 */
export function checkEvents(session: string, keys: SessionKeys, value: Buffer, expected: number): Span {
  const flags = value[1] ?? 0
  const span = (flags & SEGMENT) === 0 ? { first: expected, last: expected } : segmentSpan(value)
  const { first, last } = span
  const place = { row: 'event', session, seq: expected } as const
  // Before the checksum, because the key that it covers is made of these numbers.
  if (first < 1 || last < first || !Number.isSafeInteger(last)) {
    throw corruptRow(place, 'its range of events makes no sense')
  }
  checkValue(value, keys.eventSum(last), place)
  return span
}

/** The events of a row that {@link checkEvents} has found right, ascending. `wanted` lies within it. @throws `CORRUPT` */
export function decodeEvents(session: string, value: Buffer, wanted: Span): readonly EventRecord[] {
  const { first, last } = wanted
  const flags = value[1] ?? 0
  const place = { row: 'event', session, seq: first } as const
  let events: readonly EventRecord[]
  try {
    events = (flags & SEGMENT) === 0 ? [decodeSingle(value, flags)] : decodeSegment(value, first, last)
  } catch (error) {
    throw corruptRow(place, 'its payload cannot be decoded', error)
  }
  if (events.length !== last - first + 1) throw corruptRow(place, 'it holds another number of events')
  for (let index = 0; index < events.length; index++) {
    if (events[index]?.seq !== first + index) throw corruptRow(place, 'it holds another event')
  }
  return events
}

/** All events of a row. @throws `CORRUPT`, `UNSUPPORTED` */
export function readRow(session: string, keys: SessionKeys, value: Buffer, expected: number): readonly EventRecord[] {
  return decodeEvents(session, value, checkEvents(session, keys, value, expected))
}

function decodeSingle(value: Buffer, flags: number): EventRecord {
  return decodePayload(value.subarray(HEADER_BYTES), (flags & JSON_TEXT) !== 0) as EventRecord
}
