import { readFileSync, statSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { checkTable } from './check-table.ts'
import { logName, tableName } from './list-files.ts'
import type { LevelFiles } from './list-files.ts'
import type { Manifest, TableFile } from './parse-manifest.ts'
import { parseLog } from './read-log.ts'
import type { LogRecord } from './read-log.ts'
import type { FileProblem } from './read-manifest.ts'

export interface InspectedTable extends TableFile {
  readonly file: string
  /** What each data block takes; `undefined` if the table was verified before. */
  readonly sizes: readonly number[] | undefined
}

export interface TornLog {
  readonly file: string
  readonly offset: number
  readonly bytes: number
}

/** What LevelDB would find, learned without LevelDB. */
export interface Inspection {
  readonly tables: readonly InspectedTable[]
  /** What is in the logs that LevelDB reads. */
  readonly records: readonly LogRecord[]
  /** The number of the last batch in the logs; `undefined` if they hold none. */
  readonly batches: number | undefined
  readonly torn: TornLog | undefined
  /**
   * Tables that belong to no version and were not replaced either. LevelDB would delete them. Those with a number that
   * the MANIFEST has not reached are no loss: a flush or compaction was broken off by a crash or by closing, and what
   * it was made from is still there (it is checked).
   */
  readonly orphans: readonly string[]
}

export interface InspectOptions {
  /** The number of the batch in a record: the batches of all logs must be numbered without gaps. */
  readonly numberOf: (record: LogRecord) => number | undefined
  /** Whether a table in this state was verified before: then only its size is compared. */
  readonly isVerified: (table: number, stat: BigIntStats) => boolean
}

/**
 * Reads everything that LevelDB would act on when it opens, strictly. LevelDB itself drops what it cannot read and
 * deletes the file it came from, so damage must be found before.
 */
export async function inspectDirectory(
  directory: string,
  files: LevelFiles,
  manifest: Manifest,
  { numberOf, isVerified }: InspectOptions,
): Promise<Inspection | FileProblem> {
  const logs = inspectLogs(directory, files, manifest, numberOf)
  if ('problem' in logs) return logs
  const tables: InspectedTable[] = []
  for (const table of manifest.tables.values()) {
    const name = files.tables.get(table.number)
    const file = join(directory, name ?? tableName(table.number))
    if (name === undefined) return { file, problem: 'it is missing' }
    const stat = statSync(file, { bigint: true })
    if (Number(stat.size) === table.bytes && isVerified(table.number, stat)) {
      tables.push({ ...table, file, sizes: undefined })
      continue
    }
    const checked = checkTable(file, table.bytes)
    if ('problem' in checked) return { file, problem: checked.problem }
    tables.push({ ...table, file, sizes: checked.sizes })
    await setImmediate() // thousands of tables must not hold up the process
  }
  const orphans: string[] = []
  for (const [number, name] of files.tables) {
    if (manifest.tables.has(number) || manifest.replaced.has(number) || number >= manifest.nextFile) continue
    orphans.push(join(directory, name))
  }
  return { tables, orphans, ...logs }
}

function inspectLogs(
  directory: string,
  files: LevelFiles,
  { logNumber, tables }: Manifest,
  numberOf: InspectOptions['numberOf'],
): Pick<Inspection, 'records' | 'batches' | 'torn'> | FileProblem {
  const isFresh = logNumber === 0 && tables.size === 0
  if (!isFresh && !files.logs.includes(logNumber)) {
    return { file: join(directory, logName(logNumber)), problem: 'it is missing' }
  }
  const all: LogRecord[] = []
  let batches: number | undefined
  let torn: TornLog | undefined
  for (const number of files.logs) {
    if (number < logNumber) continue // already in a table, and not read again
    const file = join(directory, logName(number))
    const bytes = readFileSync(file)
    const { records, end, rest } = parseLog(bytes)
    if (rest === 'damaged') return { file, problem: `the record at byte ${end} is damaged and others follow it` }
    if (records.length > 0 && torn !== undefined) {
      const problem = `the record at byte ${torn.offset} is damaged and another log follows it`
      return { file: torn.file, problem }
    }
    for (const record of records) {
      const found = numberOf(record)
      if (found === undefined || (batches !== undefined && found !== batches + 1)) {
        return { file, problem: `the record at byte ${record.offset} is not the batch that must come here` }
      }
      batches = found
      all.push(record)
    }
    if (rest === 'torn') torn = { file, offset: end, bytes: bytes.length - end }
  }
  return { records: all, batches, torn }
}
