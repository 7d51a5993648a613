import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { fileHoldsPrefix, linkName, logName } from '@turnlog/leveldb-files'

import { listStoreFiles } from './store-files.ts'

/**
 * A file of LevelDB in which a key begins with one of these prefixes, in a row that counts or in an old one, or as a
 * bound or a pointer in the MANIFEST; `undefined` if there is none. The torn end of a log is skipped: it is a batch that
 * is being written, and nobody may write to the session that is searched for.
 */
export async function findTraces(directory: string, prefixes: readonly Buffer[]): Promise<string | undefined> {
  const { logs, linkedLogs, tables, manifests } = listStoreFiles(directory)
  for (const name of [...manifests, ...logs.map(logName), ...linkedLogs.map(linkName), ...tables.values()]) {
    const file = join(directory, name)
    try {
      if (fileHoldsPrefix(file, prefixes)) return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // compacted away since
    }
    await setImmediate() // one table takes a millisecond or two, and there may be thousands
  }
  return undefined
}
