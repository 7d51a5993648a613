import { crc32 } from 'node:zlib'

import type { Head } from '@turnlog/core/backend'

import { decodePayload } from './payload-codec.ts'
import { readUint64, writeUint64 } from './row-keys.ts'
import { checkValue, corruptRow, HEADER_BYTES, JSON_TEXT, sealValue } from './row-value.ts'

/** The head of a session as it is stored. */
export interface HeadRow {
  readonly first: number
  readonly last: number
  /** Rows up to here are final. Behind it is the tail: single rows that wait to be sealed into a segment. */
  readonly sealed: number
  /** Rows whose key is below this seq have been deleted. Less than `first` while a trim waits to be carried out. */
  readonly trimmed: number
  readonly bytes: number
  readonly incarnation: string
  /**
   * The encoded bytes, a character each: decoded anew for every caller, so that nobody can change what another one sees.
   * A short string takes less memory and time than a buffer, which is an object of the heap and one outside it.
   */
  readonly projection: string
  readonly json: boolean
}

const FIXED_BYTES = 5 * 8 + 2

/** `keySum` is the CRC-32 of its key. */
export function encodeHead(keySum: number, head: HeadRow): Buffer {
  const incarnationBytes = Buffer.byteLength(head.incarnation)
  const value = Buffer.allocUnsafe(HEADER_BYTES + FIXED_BYTES + incarnationBytes + head.projection.length)
  writeUint64(value, head.first, HEADER_BYTES)
  writeUint64(value, head.last, HEADER_BYTES + 8)
  writeUint64(value, head.sealed, HEADER_BYTES + 16)
  writeUint64(value, head.trimmed, HEADER_BYTES + 24)
  writeUint64(value, head.bytes, HEADER_BYTES + 32)
  value.writeUInt16BE(incarnationBytes, HEADER_BYTES + 40)
  value.write(head.incarnation, HEADER_BYTES + FIXED_BYTES)
  value.write(head.projection, HEADER_BYTES + FIXED_BYTES + incarnationBytes, 'latin1')
  const flags = head.json ? JSON_TEXT : 0
  return sealValue(value, flags, keySum)
}

/** @throws `CORRUPT`, `UNSUPPORTED` */
export function decodeHead(key: Buffer, value: Buffer, session: string): HeadRow {
  const place = { row: 'head', session } as const
  checkValue(value, crc32(key), place)
  const start = HEADER_BYTES + FIXED_BYTES
  const incarnationEnd = start + (value.length < start ? 0 : value.readUInt16BE(start - 2))
  if (value.length < start || incarnationEnd > value.length) throw corruptRow(place, 'it is too short')
  const field = (index: number): number => readUint64(value, HEADER_BYTES + index * 8)
  return {
    first: field(0),
    last: field(1),
    sealed: field(2),
    trimmed: field(3),
    bytes: field(4),
    incarnation: value.toString('utf8', start, incarnationEnd),
    projection: value.toString('latin1', incarnationEnd),
    json: ((value[1] ?? 0) & JSON_TEXT) !== 0,
  }
}

/** @throws `CORRUPT` */
export function toHead(row: HeadRow, session: string): Head {
  const { first, last, incarnation, bytes, projection, json } = row
  try {
    return { first, last, incarnation, bytes, projection: decodePayload(Buffer.from(projection, 'latin1'), json) }
  } catch (error) {
    const place = { row: 'projection', session } as const
    throw corruptRow(place, 'it cannot be decoded', error)
  }
}
