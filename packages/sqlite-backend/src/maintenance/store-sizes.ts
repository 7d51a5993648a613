import { statSync } from 'node:fs'

import type { Sizes } from '@turnlog/core/backend'

import type { SqliteStore } from '../open/sqlite-store.ts'

/** Of the database and what SQLite keeps beside it. A connection of the caller says only how large its database is. */
export function storeSizes({ path, database }: SqliteStore): Sizes {
  const { file } =
    database.all<{ name: string; file: string }>('PRAGMA database_list').find(({ name }) => name === 'main') ?? {}
  const found = [path ?? file ?? ''].flatMap((main) =>
    [main, `${main}-wal`, `${main}-shm`].flatMap((name) => statSync(name, { throwIfNoEntry: false }) ?? []),
  )
  return { bytes: found.reduce((sum, { size }) => sum + size, 0), files: found.length }
}
