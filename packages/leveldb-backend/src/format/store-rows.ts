import { crc32 } from 'node:zlib'

import { StoreError } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import type { Snapshot } from '../database/lease.ts'
import { metaKey, readUint64, writeUint64 } from './row-keys.ts'
import { checkValue, corruptRow, HEADER_BYTES, sealValue } from './row-value.ts'
import { STRUCTURES_TEXT } from './structures.ts'

/** Who the store is, and the table of structures that its values were encoded with. Written once, when it is made. */
export const IDENTITY_KEY: Buffer = metaKey('identity')
/** How many batches were written and how many sessions there are. Written in every batch. */
export const COUNTER_KEY: Buffer = metaKey('counter')

const STORE_ID_BYTES = 32

export interface Counter {
  readonly batches: number
  readonly sessions: number
}

export function encodeIdentity(storeId: string): Buffer {
  const value = Buffer.from(' '.repeat(HEADER_BYTES) + storeId + STRUCTURES_TEXT, 'latin1')
  return sealValue(value, 0, crc32(IDENTITY_KEY))
}

const COUNTER_SUM = crc32(COUNTER_KEY)
export const COUNTER_BYTES: number = HEADER_BYTES + 16
const COUNTER_ROW = Buffer.alloc(COUNTER_BYTES)

/** Valid until the next call: a batch copies it at once. */
export function encodeCounter({ batches, sessions }: Counter): Buffer {
  writeUint64(COUNTER_ROW, batches, HEADER_BYTES)
  writeUint64(COUNTER_ROW, sessions, HEADER_BYTES + 8)
  return sealValue(COUNTER_ROW, 0, COUNTER_SUM)
}

/** @throws `CORRUPT`, `UNSUPPORTED` */
export function decodeCounter(value: Buffer): Counter {
  const place = { row: 'counter' } as const
  check(COUNTER_KEY, value, place.row)
  if (value.length !== COUNTER_BYTES) throw corruptRow(place, 'it has the wrong length')
  return { batches: readUint64(value, HEADER_BYTES), sessions: readUint64(value, HEADER_BYTES + 8) }
}

export interface StoreRows extends Counter {
  readonly storeId: string
}

/** @throws `CORRUPT` if the rows that every store has are not there, `UNSUPPORTED` */
export async function readStoreRows(database: Database, snapshot?: Snapshot): Promise<StoreRows> {
  const rows = await database.rows({ gte: COUNTER_KEY, lte: IDENTITY_KEY }, 2, { snapshot })
  return decodeStoreRows(database.directory, (wanted) => rows.find(([key]) => key.equals(wanted))?.[1])
}

/** @throws `CORRUPT` if the rows that every store has are not there, `UNSUPPORTED` */
export function decodeStoreRows(directory: string, find: (key: Buffer) => Buffer | undefined): StoreRows {
  const counter = find(COUNTER_KEY)
  const identity = find(IDENTITY_KEY)
  if (counter === undefined || identity === undefined) {
    throw new StoreError(
      'CORRUPT',
      `The LevelDB database in ${directory} has no identity: rows are missing, or it belongs to another program.`,
    )
  }
  return { storeId: decodeIdentity(identity, directory), ...decodeCounter(counter) }
}

/** The store id. @throws `CORRUPT`, `UNSUPPORTED` */
export function decodeIdentity(value: Buffer, directory: string): string {
  check(IDENTITY_KEY, value, 'identity')
  if (value.toString('latin1', HEADER_BYTES + STORE_ID_BYTES) !== STRUCTURES_TEXT) {
    throw new StoreError(
      'UNSUPPORTED',
      `The store in ${directory} was written with a table of structures that this version does not know. Use a newer version of @turnlog/leveldb-backend.`,
    )
  }
  return value.toString('latin1', HEADER_BYTES, HEADER_BYTES + STORE_ID_BYTES)
}

/** Of a store that is being made. */
export async function writeFirstRows(database: Database, storeId: string): Promise<void> {
  const batch = database.batch()
  batch.put(IDENTITY_KEY, encodeIdentity(storeId))
  batch.put(COUNTER_KEY, encodeCounter({ batches: 1, sessions: 0 }))
  await batch.write({ sync: true })
}

function check(key: Buffer, value: Buffer, row: 'counter' | 'identity'): void {
  checkValue(value, crc32(key), { row })
}
