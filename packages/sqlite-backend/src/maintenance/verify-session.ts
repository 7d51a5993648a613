import { setImmediate } from 'node:timers/promises'

import type { Problem } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { corrupt } from '../format/corrupt.ts'
import type { SessionRow } from '../format/session-row.ts'
import type { SqliteStore } from '../open/sqlite-store.ts'
import { ReadCursor } from '../read/read-cursor.ts'
import type { Snapshots } from '../read/snapshots.ts'
import { findSession } from '../read/find-session.ts'
import { toStoreError } from '../database/to-store-error.ts'

export interface VerifiedSession {
  readonly events: number
  readonly bytes: number
  readonly problems: readonly Problem[]
}

/** Reads all events of a session, and looks for events that it does not have. The first problem ends it. */
export async function verifySession(
  store: SqliteStore,
  snapshots: Snapshots,
  session: string,
): Promise<VerifiedSession> {
  const lease = snapshots.lease()
  let found: SessionRow | undefined
  try {
    const use = <T>(work: (database: Database) => T): Promise<T> | T =>
      lease.database === undefined ? store.read(() => work(store.database)) : work(lease.database)
    found = await use((database) => findSession(database, store.tables, session))
    if (found === undefined) return { events: 0, bytes: 0, problems: [] }
    const { first, last } = found
    const ranges = first > last ? [] : [{ from: first, to: last }]
    const cursor = new ReadCursor(store.tables, found, ranges, { reverse: false, limit: Infinity })
    while (!cursor.isAtEnd) {
      await use((database) => {
        if (lease.database === undefined) cursor.checkStillThere(database)
        return cursor.readPage(database)
      })
      await setImmediate() // writes and reads have their turn
    }
    await use((database) => checkStrays(database, store, session))
    return { events: last - first + 1, bytes: found.bytes, problems: [] }
  } catch (error) {
    const { code, message, seq } = toStoreError(error, 'verify', session)
    if (code !== 'CORRUPT') throw error
    const problem = { message, session, ...(seq === undefined ? {} : { seq }) }
    return { events: 0, bytes: found?.bytes ?? 0, problems: [problem] }
  } finally {
    snapshots.return(lease)
  }
}

/** Rows of the session that lie outside of what its head says. @throws `CORRUPT` */
function checkStrays(database: Database, { tables }: SqliteStore, session: string): void {
  const found = findSession(database, tables, session)
  if (found === undefined) return
  const { id, first, last } = found
  const { count } = database.get<{ count: number }>(
    `SELECT count(*) AS count FROM ${tables.events} WHERE at BETWEEN (? << 32) AND ((? << 32) | 4294967295)`,
    id,
    id,
  ) ?? { count: 0 }
  if (count !== last - first + 1) throw corrupt('there are events that its row does not have', { session })
}
