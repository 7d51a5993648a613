import { join } from 'node:path'

import { isStoreError } from '@turnlog/core/backend'
import type { Problem } from '@turnlog/core/backend'
import { logName, tableName } from '@turnlog/leveldb-files'

import { readManifest } from '../files/inspect-store.ts'
import type { StoreFiles } from '../files/store-files.ts'

/**
 * Says which files are missing that LevelDB would ask for. Gives the tables that were replaced by others, if that can be
 * known: a crash may have left them there, and what was deleted since is still in them.
 */
export function findMissingFiles(
  directory: string,
  files: StoreFiles,
  onAction: (action: Problem) => void,
): ReadonlySet<number> {
  const miss = (name: string): void =>
    onAction({ message: `${name} is missing, and what was in it is lost.`, file: join(directory, name) })
  try {
    const { tables, replaced, logNumber } = readManifest(directory, files)
    for (const number of tables.keys()) {
      if (!files.tables.has(number)) miss(tableName(number))
    }
    if (logNumber > 0 && !files.logs.includes(logNumber)) miss(logName(logNumber))
    return replaced
  } catch (error) {
    if (!isStoreError(error, 'CORRUPT')) throw error
    const { file } = error
    const message = "LevelDB's own list of files is missing or damaged, and is made anew from those that are there."
    onAction({ message, ...(file === undefined ? {} : { file }) })
    return new Set()
  }
}
