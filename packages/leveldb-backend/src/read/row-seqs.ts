import { Cursor } from './cursor.ts'
import type { Database } from '../database/database.ts'
import type { SessionKeys } from '../format/row-keys.ts'
import { seqOf } from '../format/row-keys.ts'

/** The seqs under which rows of the session stand, from `from` to `to`, at most `limit` of them. */
export async function rowSeqs(
  database: Database,
  keys: SessionKeys,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<readonly number[]> {
  const seqs: number[] = []
  const rest = (): { gte: Buffer; lte: Buffer } => ({
    gte: keys.eventCopy((seqs.at(-1) ?? from - 1) + 1),
    lte: keys.eventCopy(to),
  })
  const cursor = new Cursor(database, rest, { values: false, fillCache: false })
  try {
    while (seqs.length < limit) {
      const rows = await cursor.next()
      if (rows.length === 0) break
      for (const [key] of rows) if (seqs.length < limit) seqs.push(seqOf(key))
    }
    return seqs
  } finally {
    await cursor.close()
  }
}
