import type { Database } from '../database/database.ts'
import { sessionChecksum } from '../format/checksums.ts'
import { corrupt } from '../format/corrupt.ts'
import { SESSION_COLUMNS } from '../format/session-row.ts'
import type { SessionRow } from '../format/session-row.ts'
import type { Tables } from '../format/tables.ts'

/**
 * The row of a session. SQLite does not notice damage in the index that it looks into, and would say that there is no
 * such session: so a second index is asked before anybody believes it.
 *
 * @throws `CORRUPT`
 */
export function findSession(database: Database, tables: Tables, key: string): SessionRow | undefined {
  const { sessions, byKey, byKeyAgain } = tables
  const row = database.get<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM ${sessions} INDEXED BY ${byKey} WHERE key = ?`,
    key,
  )
  if (row !== undefined) return checkSession({ ...row, key })
  if (database.get(`SELECT id FROM ${sessions} INDEXED BY ${byKeyAgain} WHERE key = ?`, key) === undefined) {
    return undefined
  }
  throw corrupt('one of its two index entries is missing', { session: key })
}

/** @throws `CORRUPT` */
export function checkSession(row: SessionRow): SessionRow {
  if (sessionChecksum(row) === row.crc) return row
  throw corrupt('the checksum of its row is wrong', { session: row.key })
}
