import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { StoreErrorCode } from '@turnlog/core/backend'

import { failureOf } from './failure-of.ts'

/** What to do about it, for each way in which SQLite fails. */
const ADVICE: Readonly<Record<string, readonly [StoreErrorCode, string]>> = {
  BUSY: ['IO', 'Another process holds the write lock of the database for too long. Try again, or look who has it open'],
  CANTOPEN: [
    'IO',
    'The database, or the files beside it, cannot be opened. Look at their permissions and at the limit on open files',
  ],
  CONSTRAINT: [
    'CORRUPT',
    'Rows are there that its sessions do not have. Restore it from a backup, or run `turnlog repair` on the closed store',
  ],
  CORRUPT: [
    'CORRUPT',
    'The database is damaged. Restore it from a backup together with its -wal file, or run `turnlog repair` on the closed store',
  ],
  FULL: ['IO', 'The disk is full. Make room and try again'],
  IOERR: ['IO', 'The disk or the file system failed. See the cause'],
  NOTADB: ['CORRUPT', 'Its first page is damaged. Restore it from a backup'],
  READONLY: ['IO', 'The database cannot be written to. Look at the permissions of the file and of its directory'],
  TOOBIG: ['TOO_LARGE', 'An event or a projection is larger than SQLite takes (1 GB)'],
}

/** SQLite says so of a table or a column that its damaged schema no longer has. */
const NO_SUCH = /^no such (?:table|column|index)/

/** What SQLite threw, as a `StoreError`. Its messages name tables and files, never what is in them. */
export function toStoreError(error: unknown, what: string, session?: string): StoreError {
  if (isStoreError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  const failure = failureOf(error) === 'ERROR' && NO_SUCH.test(message) ? 'CORRUPT' : failureOf(error)
  const [code, advice] = ADVICE[failure ?? ''] ?? ['IO', message]
  return new StoreError(code, `Cannot ${what}: ${advice}.`, {
    cause: error,
    ...(session === undefined ? {} : { session }),
  })
}
