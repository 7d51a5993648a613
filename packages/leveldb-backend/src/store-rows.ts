import { StoreError } from '@turnlog/core/backend'

import type { Database, Snapshot } from './database.ts'
import { metaKey, readUint64, writeUint64 } from './row-keys.ts'
import { checkValue, corruptRow, HEADER_BYTES, keyPrefix, sealValue } from './row-value.ts'

/** Who the store is. Written once, when it is made. */
export const IDENTITY_KEY: Buffer = metaKey('identity')
/** How many batches were written and how many sessions there are. Written in every batch. */
export const COUNTER_KEY: Buffer = metaKey('counter')

export interface Counter {
  readonly batches: number
  readonly sessions: number
}

export function encodeIdentity(storeId: string): Buffer {
  return seal(IDENTITY_KEY, Buffer.from(storeId, 'latin1'))
}

export function encodeCounter({ batches, sessions }: Counter): Buffer {
  const payload = Buffer.alloc(16)
  writeUint64(payload, batches, 0)
  writeUint64(payload, sessions, 8)
  return seal(COUNTER_KEY, payload)
}

/** @throws `CORRUPT`, `UNSUPPORTED` */
export function decodeCounter(value: Buffer): Counter {
  const place = { row: 'counter' } as const
  check(COUNTER_KEY, value, place.row)
  if (value.length !== HEADER_BYTES + 16) throw corruptRow(place, 'it has the wrong length')
  return { batches: readUint64(value, HEADER_BYTES), sessions: readUint64(value, HEADER_BYTES + 8) }
}

export interface StoreRows extends Counter {
  readonly storeId: string
}

/** @throws `CORRUPT` if the rows that every store has are not there, `UNSUPPORTED` */
export async function readStoreRows(database: Database, snapshot?: Snapshot): Promise<StoreRows> {
  const rows = await database.rows({ gte: COUNTER_KEY, lte: IDENTITY_KEY }, 2, { snapshot })
  const counter = rows.find(([key]) => key.equals(COUNTER_KEY))?.[1]
  const identity = rows.find(([key]) => key.equals(IDENTITY_KEY))?.[1]
  if (counter === undefined || identity === undefined) {
    throw new StoreError(
      'CORRUPT',
      `The LevelDB database in ${database.directory} has no identity: rows are missing, or it belongs to another program.`,
    )
  }
  check(IDENTITY_KEY, identity, 'identity')
  return { ...decodeCounter(counter), storeId: identity.toString('latin1', HEADER_BYTES) }
}

function seal(key: Buffer, payload: Buffer): Buffer {
  return sealValue(Buffer.concat([Buffer.alloc(HEADER_BYTES), payload]), 0, keyPrefix(key, 0))
}

function check(key: Buffer, value: Buffer, row: 'counter' | 'identity'): void {
  checkValue(value, Buffer.concat([key, value.subarray(0, 2)]), { row })
}
