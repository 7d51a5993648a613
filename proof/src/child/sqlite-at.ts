import { join } from 'node:path'

import type { Backend } from '@turnlog/core'
import { sqliteBackend } from '@turnlog/sqlite-backend'

/** Where a Node without SQLite finds better-sqlite3; the parent says so. */
export const SQLITE_DRIVER = 'TURNLOG_PROOF_SQLITE_DRIVER'

/** Each store of a campaign has a directory: the files of SQLite lie in it. */
export function sqliteAt(directory: string, durability: 'sync' | 'os'): Backend {
  const driver = process.env[SQLITE_DRIVER]
  return sqliteBackend({
    path: join(directory, 'sessions.db'),
    durability,
    ...(driver === undefined ? {} : { driver }),
  })
}
