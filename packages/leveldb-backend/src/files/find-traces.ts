import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { parseLog } from './log-file.ts'
import { readLogRows } from './log-rows.ts'
import { keysIn } from './manifest.ts'
import { keptName, listStoreFiles, logName } from './store-files.ts'
import { beginsWith, holdsPrefix } from './table-rows.ts'

/**
 * A file of LevelDB in which a key begins with one of these, in a row, live or not, or as a bound or a pointer in the
 * MANIFEST; `undefined` if there is none.
 */
export async function findTraces(directory: string, prefixes: readonly Buffer[]): Promise<string | undefined> {
  const { logs, keptLogs, tables, manifests } = listStoreFiles(directory)
  const searches: readonly (readonly [names: readonly string[], search: typeof holdsPrefix])[] = [
    [manifests, manifestHolds],
    [[...logs.map(logName), ...keptLogs.map(keptName)], logHolds],
    [[...tables.values()], holdsPrefix],
  ]
  for (const [names, search] of searches) {
    for (const name of names) {
      const file = join(directory, name)
      try {
        if (search(file, prefixes)) return file
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // compacted away since
      }
      await setImmediate() // one table takes a millisecond or two, and there may be thousands
    }
  }
  return undefined
}

/** A torn end is a batch that is being written, so not one of a session that nobody may write to. */
function logHolds(file: string, prefixes: readonly Buffer[]): boolean {
  for (const { key } of readLogRows(file, () => undefined)) {
    if (prefixes.some((prefix) => beginsWith(key, prefix))) return true
  }
  return false
}

/** By its keys: the numbers between them can look like a key of one or two characters. */
function manifestHolds(file: string, prefixes: readonly Buffer[]): boolean {
  return parseLog(readFileSync(file)).records.some(({ bytes }) => {
    const keys = keysIn(bytes)
    return keys === undefined || keys.some((key) => prefixes.some((prefix) => beginsWith(key, prefix)))
  })
}
