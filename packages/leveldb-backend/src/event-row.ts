import type { EventRecord, Json } from '@turnlog/core/backend'

import { decodePayload, encodePayload } from './payload-codec.ts'
import type { SessionKeys } from './row-keys.ts'
import { readUint64, writeUint64 } from './row-keys.ts'
import { checkValue, corruptRow, FORMAT, HEADER_BYTES, JSON_TEXT, MIXED, SEGMENT, sealValue } from './row-value.ts'

/** One encoded event: what is in a single row, and what a segment is put together from. */
export interface EventRow {
  readonly seq: number
  readonly json: boolean
  /** Header (filled in by `sealEvent`) and payload. */
  readonly value: Buffer
}

/** `[first seq, 8][count, 2]`, then a msgpack array of the events, or framed events if the row is `MIXED`. */
const SEGMENT_HEADER_BYTES = 10
const ARRAY_HEADER_BYTES = 3
const FRAME_HEADER_BYTES = 5

export function encodeEvent(event: EventRecord): EventRow {
  const { value, json } = encodePayload(event as Json)
  return { seq: event.seq, json, value: Buffer.from(value) } // kept until it is sealed; msgpackr's own buffer is large
}

export function sealEvent(keys: SessionKeys, { seq, json, value }: EventRow): Buffer {
  const flags = json ? JSON_TEXT : 0
  return sealValue(value, flags, keys.eventHeader(seq, FORMAT, flags))
}

/** One value of several events, from their encoded bytes: nothing is decoded or encoded again. */
export function sealSegment(keys: SessionKeys, rows: readonly EventRow[]): Buffer {
  const mixed = rows.some((row) => row.json)
  const framing = mixed ? rows.length * FRAME_HEADER_BYTES : ARRAY_HEADER_BYTES
  let size = HEADER_BYTES + SEGMENT_HEADER_BYTES + framing
  for (const row of rows) size += row.value.length - HEADER_BYTES
  const value = Buffer.allocUnsafe(size)
  const first = rows[0]?.seq ?? 0
  writeUint64(value, first, HEADER_BYTES)
  value.writeUInt16BE(rows.length, HEADER_BYTES + 8)
  let at = HEADER_BYTES + SEGMENT_HEADER_BYTES
  if (!mixed) {
    value[at] = 0xdc // a msgpack array with a 16-bit length
    value.writeUInt16BE(rows.length, at + 1)
    at += ARRAY_HEADER_BYTES
  }
  for (const row of rows) {
    if (mixed) {
      value[at] = row.json ? JSON_TEXT : 0
      value.writeUInt32BE(row.value.length - HEADER_BYTES, at + 1)
      at += FRAME_HEADER_BYTES
    }
    at += row.value.copy(value, at, HEADER_BYTES)
  }
  const flags = SEGMENT | (mixed ? MIXED : 0)
  return sealValue(value, flags, keys.eventHeader(first + rows.length - 1, FORMAT, flags))
}

/**
 * The events of a row, ascending. `expected` is the seq that must come next in the direction of reading; a single row
 * has no seq outside its payload, so its key, and with it the checksum, is taken to be that one.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`
 */
export function decodeEvents(
  session: string,
  keys: SessionKeys,
  value: Buffer,
  expected: number,
): readonly EventRecord[] {
  const flags = value[1] ?? 0
  const isSegment = (flags & SEGMENT) !== 0 && value.length >= HEADER_BYTES + SEGMENT_HEADER_BYTES
  const first = isSegment ? readUint64(value, HEADER_BYTES) : expected
  const count = isSegment ? value.readUInt16BE(HEADER_BYTES + 8) : 1
  const last = first + count - 1
  const place = { row: 'event', session, seq: expected } as const
  // Before the checksum, because the key that it covers is made of these numbers.
  if (first < 1 || count < 1 || !Number.isSafeInteger(last))
    throw corruptRow(place, 'its range of events makes no sense')
  checkValue(value, keys.eventHeader(last, value[0] ?? 0, flags), place)
  let events: readonly EventRecord[]
  try {
    events = isSegment ? decodeSegment(value, flags, count) : [decodeSingle(value, flags)]
  } catch (error) {
    throw corruptRow(place, 'its payload cannot be decoded', error)
  }
  for (let index = 0; index < count; index += 1) {
    if (events[index]?.seq !== first + index) throw corruptRow(place, 'it holds another event')
  }
  return events
}

function decodeSingle(value: Buffer, flags: number): EventRecord {
  return decodePayload(value.subarray(HEADER_BYTES), (flags & JSON_TEXT) !== 0) as EventRecord
}

function decodeSegment(value: Buffer, flags: number, count: number): readonly EventRecord[] {
  let at = HEADER_BYTES + SEGMENT_HEADER_BYTES
  if ((flags & MIXED) === 0) return decodePayload(value.subarray(at), false) as unknown as readonly EventRecord[]
  const events: EventRecord[] = []
  for (let index = 0; index < count; index += 1) {
    const start = at + FRAME_HEADER_BYTES
    const end = start + value.readUInt32BE(at + 1)
    events.push(decodePayload(value.subarray(start, end), value[at] === JSON_TEXT) as EventRecord)
    at = end
  }
  return events
}
