import { crc32 } from 'node:zlib'

import type { SessionRow } from './session-row.ts'

/** Over where the event is as well, so that a whole row in a wrong place is noticed. */
export function eventChecksum(id: number, offset: number, body: string): number {
  return checksum(`${id} ${offset} `, body)
}

export function sessionChecksum(row: Omit<SessionRow, 'id' | 'crc'>): number {
  const { key, base, first, last, incarnation, bytes, projection } = row
  return checksum(`${key}\n${base} ${first} ${last} ${bytes} ${incarnation}\n`, projection)
}

export function metaChecksum(key: string, value: string): number {
  return checksum(`${key}\n`, value)
}

/** @returns what no row has where damage has made something else of a text */
function checksum(before: string, text: unknown): number {
  return typeof text === 'string' ? crc32(text, crc32(before)) : -1
}
