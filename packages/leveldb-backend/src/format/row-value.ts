import { crc32 } from 'node:zlib'

import { StoreError } from '@turnlog/core/backend'

import { crc32Byte } from './crc32-byte.ts'

/** `[format][flags][crc32 of key, format, flags and payload, BE][payload]`, in every row of every kind. */
export const FORMAT = 1
export const HEADER_BYTES = 6

/** The payload (or the projection in it) is JSON text, because msgpack would not carry it exactly. */
export const JSON_TEXT = 1
/** The row holds several events. */
export const SEGMENT = 2
/** Not all events of a segment are msgpack, so each is decoded by itself. */
export const MIXED = 4
const KNOWN_FLAGS = JSON_TEXT | SEGMENT | MIXED

/** Fills in the header of a value whose payload begins at `HEADER_BYTES`. `keySum` is the CRC-32 of its key. */
export function sealValue(value: Buffer, flags: number, keySum: number): Buffer {
  value[0] = FORMAT
  value[1] = flags
  value.writeUInt32BE(rowSum(value, keySum), 2)
  return value
}

function rowSum(value: Buffer, keySum: number): number {
  const start = crc32Byte(crc32Byte(keySum, value[0] ?? 0), value[1] ?? 0)
  return crc32(value.subarray(HEADER_BYTES), start)
}

export function isSingle(value: Buffer): boolean {
  return ((value[1] ?? 0) & SEGMENT) === 0
}

/** Where a row is. Put into words only when something is wrong with it, because every row that is read has one. */
export interface RowPlace {
  readonly row: 'event' | 'head' | 'projection' | 'counter' | 'identity'
  readonly session?: string
  readonly seq?: number
}

/**
 * Checks a value against the CRC-32 of its key. The checksum comes first: a damaged format byte is damage, and only a
 * whole value that says so is of a newer format.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`
 */
export function checkValue(value: Buffer, keySum: number, place: RowPlace): void {
  if (value.length < HEADER_BYTES) throw corruptRow(place, `it is ${value.length} bytes long`)
  if (value.readUInt32BE(2) !== rowSum(value, keySum)) {
    throw corruptRow(place, 'its checksum does not match')
  }
  const format = value[0]
  const flags = value[1] ?? 0
  if (format !== FORMAT || (flags & ~KNOWN_FLAGS) !== 0) {
    throw new StoreError(
      'UNSUPPORTED',
      `Cannot read ${inWords(place)}: it has format ${format} with flags ${flags}, and this version reads format ${FORMAT}. Use a newer version of @turnlog/leveldb-backend.`,
      details(place),
    )
  }
}

export function corruptRow(place: RowPlace, why: string, cause?: unknown): StoreError {
  return new StoreError('CORRUPT', `Cannot read ${inWords(place)}: ${why}. Run verify, then repair.`, {
    ...details(place),
    ...(cause === undefined ? {} : { cause }),
  })
}

function inWords({ row, session, seq }: RowPlace): string {
  if (session === undefined) return `the ${row} row`
  return `${row === 'event' ? `event ${seq}` : `the ${row}`} of session ${JSON.stringify(session)}`
}

function details({ session, seq }: RowPlace): { session?: string; seq?: number } {
  return { ...(session === undefined ? {} : { session }), ...(seq === undefined ? {} : { seq }) }
}
