import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

import { keysIn } from './parse-manifest.ts'
import { parseLog } from './read-log.ts'
import { beginsWith, tableHoldsPrefix } from './read-table-rows.ts'
import { parseBatch } from './write-batch.ts'

/**
 * Whether a key in a MANIFEST, log or table begins with one of these prefixes, in a row that counts or in an old one,
 * or as a bound of a table. `true` where damage hides the answer, except for the torn end of a log.
 */
export function fileHoldsPrefix(file: string, prefixes: readonly Buffer[]): boolean {
  const isWanted = (key: Buffer): boolean => prefixes.some((prefix) => beginsWith(key, prefix))
  if (basename(file).startsWith('MANIFEST-')) return manifestHolds(readFileSync(file), isWanted)
  return file.endsWith('.log') ? logHolds(readFileSync(file), isWanted) : tableHoldsPrefix(file, prefixes)
}

/** Only the keys are searched: the numbers between them can look like a key of one or two characters. */
function manifestHolds(bytes: Buffer, isWanted: (key: Buffer) => boolean): boolean {
  return parseLog(bytes).records.some((record) => keysIn(record.bytes)?.some(isWanted) !== false)
}

function logHolds(bytes: Buffer, isWanted: (key: Buffer) => boolean): boolean {
  for (let start: number | undefined = 0; start !== undefined;) {
    const { records, next } = parseLog(bytes, start)
    if (records.some((record) => parseBatch(record.bytes)?.some(({ key }) => isWanted(key)) === true)) return true
    start = next
  }
  return false
}
