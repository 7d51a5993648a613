import type { Database } from '../database/database.ts'
import { corrupt } from '../format/corrupt.ts'
import { SESSION_COLUMNS } from '../format/session-row.ts'
import type { SessionRow } from '../format/session-row.ts'
import type { Tables } from '../format/tables.ts'
import { checkSession } from '../read/find-session.ts'

export interface ListPage {
  readonly prefix: string
  /** Exclusive. */
  readonly after: string | undefined
  readonly limit: number
}

/**
 * The next sessions in the byte order of their keys, which is that of SQLite's BINARY collation. Both indexes have to
 * name the same ones: an entry that damage took out of one of them would be a session less.
 *
 * @throws `CORRUPT`
 */
export function listSessions(database: Database, tables: Tables, page: ListPage): SessionRow[] {
  const { sessions, byKey, byKeyAgain } = tables
  const { prefix, after, limit } = page
  const from = after === undefined || Buffer.compare(Buffer.from(after), Buffer.from(prefix)) < 0 ? prefix : after
  const where = `WHERE key ${from === after ? '>' : '>='} ? ORDER BY key LIMIT ?`
  const rows = database.all<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM ${sessions} INDEXED BY ${byKey} ${where}`,
    from,
    limit,
  )
  const again = database.all<{ key: string; id: number }>(
    `SELECT key, id FROM ${sessions} INDEXED BY ${byKeyAgain} ${where}`,
    from,
    limit,
  )
  for (const [index, row] of rows.entries()) {
    const other = again[index]
    if (row.key !== other?.key || row.id !== other.id) throw corrupt('its two lists of sessions differ')
    checkSession(row)
  }
  if (rows.length !== again.length) throw corrupt('its two lists of sessions differ')
  const end = rows.findIndex(({ key }) => !key.startsWith(prefix))
  return end === -1 ? rows : rows.slice(0, end)
}
