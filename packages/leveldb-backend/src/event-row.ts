import type { EventRecord, Json } from '@turnlog/core/backend'

import { decodePayload, encodePayload } from './payload-codec.ts'
import type { SessionKeys } from './row-keys.ts'
import { checkValue, corruptRow, FORMAT, HEADER_BYTES, JSON_TEXT, SEGMENT, sealValue } from './row-value.ts'
import { decodeSegment, segmentSpan } from './segment.ts'

/** One encoded event: what is in a single row, and what a segment is put together from. */
export interface EventRow {
  readonly seq: number
  readonly json: boolean
  /** Header (filled in by `sealEvent`) and payload. */
  readonly value: Buffer
}

export function encodeEvent(event: EventRecord): EventRow {
  const { value, json } = encodePayload(event as Json)
  return { seq: event.seq, json, value: Buffer.from(value) } // kept until it is sealed; msgpackr's own buffer is large
}

export function sealEvent(keys: SessionKeys, { seq, json, value }: EventRow): Buffer {
  const flags = json ? JSON_TEXT : 0
  return sealValue(value, flags, keys.eventHeader(seq, FORMAT, flags))
}

/** The seqs that are needed of a row; a segment holds more than that at the ends of a range. */
export interface Wanted {
  readonly from: number
  readonly to: number
}

/**
 * The events of a row, ascending. `expected` is the seq that must come next in the direction of reading; a single row
 * has no seq outside its payload, so its key, and with it the checksum, is taken to be that one. What is not wanted is
 * checked but not decoded.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`
 */
export function decodeEvents(
  session: string,
  keys: SessionKeys,
  value: Buffer,
  expected: number,
  wanted?: Wanted,
): readonly EventRecord[] {
  const flags = value[1] ?? 0
  const span = (flags & SEGMENT) === 0 ? undefined : segmentSpan(value)
  const first = span?.first ?? expected
  const last = span?.last ?? expected
  const place = { row: 'event', session, seq: expected } as const
  // Before the checksum, because the key that it covers is made of these numbers.
  if (first < 1 || last < first || !Number.isSafeInteger(last)) {
    throw corruptRow(place, 'its range of events makes no sense')
  }
  checkValue(value, keys.eventHeader(last, value[0] ?? 0, flags), place)
  const from = wanted === undefined ? first : Math.max(first, wanted.from)
  const to = wanted === undefined ? last : Math.min(last, wanted.to)
  // The row lies outside of what is wanted: its ends say so.
  if (from > to) return decodeEvents(session, keys, value, expected)
  let events: readonly EventRecord[]
  try {
    events = span === undefined ? [decodeSingle(value, flags)] : decodeSegment(value, from, to)
  } catch (error) {
    throw corruptRow(place, 'its payload cannot be decoded', error)
  }
  if (events.length !== to - from + 1) throw corruptRow(place, 'it holds another number of events')
  for (let index = 0; index < events.length; index += 1) {
    if (events[index]?.seq !== from + index) throw corruptRow(place, 'it holds another event')
  }
  return events
}

function decodeSingle(value: Buffer, flags: number): EventRecord {
  return decodePayload(value.subarray(HEADER_BYTES), (flags & JSON_TEXT) !== 0) as EventRecord
}
