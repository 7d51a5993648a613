import type { EventRecord } from '@turnlog/core/backend'

import { decodePayload, decodePayloads } from './payload-codec.ts'
import type { SessionKeys } from './row-keys.ts'
import { readUint64, writeUint64 } from './row-keys.ts'
import { HEADER_BYTES, MIXED, SEGMENT, sealValue } from './row-value.ts'
import type { Tail } from './tail.ts'

/** Events per segment, at most: beyond 64 reading gains nothing more, and readers look no further for the end of one. */
export const SEGMENT_EVENTS = 64

/**
 * `[first seq, 8][count, 2][length of each payload, 4 each][payloads]`. The lengths let a reader that needs the last
 * few events of a segment, as after a truncation, decode just those. Their top bit says that the payload is JSON text.
 */
const SPAN_BYTES = 10
const LENGTH_BYTES = 4
const JSON_BIT = 0x8000_0000

/** Grows to the largest segment, a third of a megabyte. */
let room = Buffer.alloc(0)

/**
 * One value of several events, from their encoded bytes: nothing is decoded or encoded again. Valid until the next
 * call: a batch copies it at once.
 */
export function sealSegment(keys: SessionKeys, first: number, { store, length, bytes }: Tail): Buffer {
  const lengths = HEADER_BYTES + SPAN_BYTES
  const payloads = lengths + length * LENGTH_BYTES
  const size = payloads + bytes
  if (size > room.length) room = Buffer.allocUnsafeSlow(2 * size)
  const value = room.subarray(0, size)
  writeUint64(value, first, HEADER_BYTES)
  value.writeUInt16BE(length, HEADER_BYTES + 8)
  let flags = SEGMENT
  for (let index = 0; index < length; index++) {
    const isJson = store.isJson(index)
    if (isJson) flags |= MIXED
    value.writeUInt32BE(store.lengthOf(index) + (isJson ? JSON_BIT : 0), lengths + index * LENGTH_BYTES)
  }
  store.copy(value, payloads, 0)
  return sealValue(value, flags, keys.eventSum(first + length - 1))
}

/** What the segment says it holds. Unchecked: the checksum needs it. */
export function segmentSpan(value: Buffer): { readonly first: number; readonly last: number } {
  if (value.length < HEADER_BYTES + SPAN_BYTES) return { first: 0, last: 0 }
  const first = readUint64(value, HEADER_BYTES)
  return { first, last: first + value.readUInt16BE(HEADER_BYTES + 8) - 1 }
}

/** The events `from` to `to`, both within the segment, whose checksum is right. */
export function decodeSegment(value: Buffer, from: number, to: number): readonly EventRecord[] {
  const first = readUint64(value, HEADER_BYTES)
  const count = value.readUInt16BE(HEADER_BYTES + 8)
  const lengths = HEADER_BYTES + SPAN_BYTES
  const mixed = ((value[1] ?? 0) & MIXED) !== 0
  const events: EventRecord[] = []
  let at = lengths + count * LENGTH_BYTES
  let start = at
  for (let seq = first; seq <= to; seq++) {
    const field = value.readUInt32BE(lengths + (seq - first) * LENGTH_BYTES)
    const json = field >= JSON_BIT
    const end = at + (json ? field - JSON_BIT : field)
    if (seq === from) start = at
    if (mixed && seq >= from) events.push(decodePayload(value.subarray(at, end), json) as unknown as EventRecord)
    at = end
  }
  return mixed ? events : (decodePayloads(value.subarray(start, at)) as unknown as readonly EventRecord[])
}
