import { StoreError } from '@turnlog/core/backend'
import type { ListRange, SessionHead } from '@turnlog/core/backend'

import { Cursor } from './cursor.ts'
import type { Database } from '../database/database.ts'
import type { KeyRange } from '../database/lease.ts'
import { decodeHead, toHead } from '../format/head-row.ts'
import { afterPrefix, headPrefix, parseKey } from '../format/row-keys.ts'
import { readStoreRows } from '../format/store-rows.ts'
import type { Counter } from '../format/store-rows.ts'

/** Few enough that the first ones, before V8 has compiled anything, do not hold up others for long. */
const ROWS = 250

/**
 * The heads in byte order. A list of everything is counted against the number of sessions in the same snapshot, so that
 * a lost head is noticed, unless an erasure or a reopening has ended the snapshot.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`
 */
export async function* listHeads(
  database: Database,
  { prefix = '', after, limit = Infinity }: ListRange,
): AsyncGenerator<readonly SessionHead[]> {
  const start = headPrefix(prefix)
  const afterKey = after === undefined ? undefined : Buffer.concat([headPrefix(after), Buffer.of(0)])
  let last: Buffer | undefined = afterKey !== undefined && afterKey.compare(start) > 0 ? afterKey : undefined
  const rest = (): KeyRange => ({ ...(last === undefined ? { gte: start } : { gt: last }), lt: afterPrefix(start) })
  const isWhole = prefix === '' && after === undefined && limit === Infinity
  const snapshot = isWhole ? database.snapshot() : undefined
  const expected = isWhole ? readStoreRows(database, snapshot).catch((error: unknown) => error) : undefined
  const cursor = new Cursor(database, rest, { snapshot }, { rows: Math.min(ROWS, limit), total: limit })
  let count = 0
  try {
    while (count < limit) {
      const rows = await cursor.next()
      if (rows.length === 0) break
      const batch: SessionHead[] = []
      for (const [key, value] of rows.slice(0, limit - count)) batch.push(decodeRow(key, value))
      last = rows.at(-1)?.[0]
      count += batch.length
      yield batch
    }
    const counted = await expected
    if (database.isValid(snapshot)) compareCount(counted, count)
  } finally {
    await cursor.close()
    await database.endSnapshot(snapshot)
  }
}

function decodeRow(key: Buffer, value: Buffer): SessionHead {
  const session = parseKey(key)?.name
  if (session === undefined) throw new StoreError('CORRUPT', 'A head row has a damaged key. Run verify, then repair.')
  return { session, ...toHead(decodeHead(key, value, session), session) }
}

function compareCount(rows: unknown, count: number): void {
  if (rows instanceof Error) throw rows
  const { sessions } = rows as Counter
  if (sessions === count) return
  throw new StoreError(
    'CORRUPT',
    `The list of sessions has ${count} entries, but the store holds ${sessions} sessions. Run verify, then repair.`,
  )
}
