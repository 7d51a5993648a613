import type { Database } from '../database/database.ts'
import type { EventRow } from '../format/event-row.ts'
import { readRow } from '../format/event-row.ts'
import type { HeadRow } from '../format/head-row.ts'
import type { SessionKeys } from '../format/row-keys.ts'
import { corruptRow, JSON_TEXT } from '../format/row-value.ts'
import { tailOf } from '../format/tail.ts'
import type { Tail } from '../format/tail.ts'

/**
 * The single rows behind the last segment, as they are stored, to be sealed.
 *
 * @throws `CORRUPT`: what is damaged must not get a new checksum
 */
export async function readTail(database: Database, session: string, keys: SessionKeys, head: HeadRow): Promise<Tail> {
  const { sealed, last } = head
  const range = { gte: keys.eventCopy(sealed + 1), lte: keys.eventCopy(last) }
  const tail: EventRow[] = []
  while (tail.length < last - sealed) {
    const gte = keys.eventCopy(sealed + 1 + tail.length)
    const rows = await database.rows({ ...range, gte }, last - sealed)
    for (const [, value] of rows) {
      const seq = sealed + 1 + tail.length
      readRow(session, keys, value, seq)
      tail.push({ seq, json: value[1] === JSON_TEXT, value })
    }
    if (rows.length > 0) continue
    const seq = sealed + 1 + tail.length
    throw corruptRow({ row: 'event', session, seq }, 'it is missing')
  }
  return tailOf(tail)
}
