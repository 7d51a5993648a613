import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { StoreError } from '@turnlog/core/backend'
import {
  checkTable,
  parseBatch,
  parseLog,
  logName,
  readManifest as readLevelManifest,
  tableName,
} from '@turnlog/leveldb-files'
import type { LogRecord, Manifest } from '@turnlog/leveldb-files'
import { bootId } from '@turnlog/storage-kit'

import { COUNTER_BYTES, COUNTER_KEY, decodeCounter } from '../format/store-rows.ts'
import { readVerifiedTables, tableState } from './verified-tables-file.ts'
import { linkName, listStoreFiles } from './store-files.ts'
import type { StoreFiles } from './store-files.ts'

/** How LevelDB writes the counter into a batch, up to its value: a put, and the lengths of key and value. */
const COUNTER_ENTRY = Buffer.concat([Buffer.of(1, COUNTER_KEY.length), COUNTER_KEY, Buffer.of(COUNTER_BYTES)])

export interface InspectedTable {
  readonly file: string
  /** What each data block takes; `undefined` if the table is known to be right, see {@link readVerifiedTables}. */
  readonly sizes: readonly number[] | undefined
  readonly number: number
  readonly level: number
  readonly bytes: number
  readonly smallest: Buffer
  readonly largest: Buffer
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
  /** What LevelDB may have passed over when it was last opened, see {@link skippedRecords}. */
  readonly skipped: readonly LogRecord[]
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

/**
 * Reads everything that LevelDB would act on when it opens, strictly. LevelDB itself drops what it cannot read and
 * deletes the file it came from, so damage must be found before.
 *
 * @throws `CORRUPT` naming the file
 */
export async function inspectStore(directory: string, files: StoreFiles): Promise<Inspection> {
  const manifest = readManifest(directory, files)
  const logs = inspectLogs(directory, files, manifest)
  const skipped = skippedRecords(directory, files, manifest)
  const known = readVerifiedTables(directory, bootId())
  const tables: InspectedTable[] = []
  for (const table of manifest.tables.values()) {
    const name = files.tables.get(table.number)
    const file = join(directory, name ?? tableName(table.number))
    if (name === undefined) throw corruptFile(file, 'it is missing')
    const stat = statSync(file, { bigint: true })
    if (Number(stat.size) === table.bytes && known.has(tableState(table.number, stat))) {
      tables.push({ ...table, file, sizes: undefined })
      continue
    }
    const checked = checkTable(file, table.bytes)
    if ('problem' in checked) throw corruptFile(file, checked.problem)
    tables.push({ ...table, file, sizes: checked.sizes })
    await setImmediate() // thousands of tables must not hold up the process
  }
  const orphans: string[] = []
  for (const [number, name] of files.tables) {
    if (manifest.tables.has(number) || manifest.replaced.has(number) || number >= manifest.nextFile) continue
    orphans.push(join(directory, name))
  }
  return { tables, orphans, ...logs, skipped }
}

/** The version that LevelDB would open. @throws `CORRUPT` naming the file */
export function readManifest(directory: string, files: StoreFiles): Manifest {
  const manifest = readLevelManifest(directory, files)
  if ('problem' in manifest) throw corruptFile(manifest.file, manifest.problem)
  return manifest
}

function inspectLogs(
  directory: string,
  files: StoreFiles,
  { logNumber, tables }: Manifest,
): Pick<Inspection, 'records' | 'batches' | 'torn'> {
  const isFresh = logNumber === 0 && tables.size === 0
  if (!isFresh && !files.logs.includes(logNumber))
    throw corruptFile(join(directory, logName(logNumber)), 'it is missing')
  const all: LogRecord[] = []
  let batches: number | undefined
  let torn: TornLog | undefined
  for (const number of files.logs) {
    if (number < logNumber) continue // already in a table, and not read again
    const file = join(directory, logName(number))
    const bytes = readFileSync(file)
    const { records, end, rest } = parseLog(bytes)
    if (rest === 'damaged') throw corruptFile(file, `the record at byte ${end} is damaged and others follow it`)
    if (records.length > 0 && torn !== undefined) {
      throw corruptFile(torn.file, `the record at byte ${torn.offset} is damaged and another log follows it`)
    }
    for (const record of records) {
      const found = counterOf(record)
      if (found === undefined || (batches !== undefined && found !== batches + 1)) {
        throw corruptFile(file, `the record at byte ${record.offset} is not the batch that must come here`)
      }
      batches = found
      all.push(record)
    }
    if (rest === 'torn') torn = { file, offset: end, bytes: bytes.length - end }
  }
  return { records: all, batches, torn }
}

/**
 * The batches of logs that are there under their second names only, because LevelDB was opened and nobody came to see
 * whether it had read them. Nothing newer was written since, except some of these again.
 *
 * @throws `CORRUPT` naming the file
 */
export function skippedRecords(
  directory: string,
  files: StoreFiles = listStoreFiles(directory),
  manifest?: Manifest,
): readonly LogRecord[] {
  const { linkedLogs, logs } = files
  if (linkedLogs.length === 0) return []
  const { logNumber } = manifest ?? readManifest(directory, files)
  if (linkedLogs.every((number) => number >= logNumber && logs.includes(number))) return []
  return linkedLogs.flatMap((number) => {
    const file = join(directory, linkName(number))
    const { records, end, rest } = parseLog(readFileSync(file))
    if (rest !== 'nothing') throw corruptFile(file, `the record at byte ${end} is damaged`)
    return records
  })
}

/** The number of the last of some batches, 0 if there are none. */
export function lastNumber(records: readonly LogRecord[]): number {
  const last = records.at(-1)
  return (last === undefined ? undefined : counterOf(last)) ?? 0
}

/** Every batch that was ever written says which one it is, in its last entry. */
export function counterOf(record: LogRecord): number | undefined {
  const entry = record.end(COUNTER_ENTRY.length + COUNTER_BYTES)
  if (entry.subarray(0, COUNTER_ENTRY.length).equals(COUNTER_ENTRY)) {
    return decodeCounter(entry.subarray(COUNTER_ENTRY.length)).batches
  }
  const value = parseBatch(record.bytes)?.findLast(({ key }) => key.equals(COUNTER_KEY))?.value
  return value === undefined ? undefined : decodeCounter(value).batches
}

export function corruptFile(file: string, why: string): StoreError {
  return new StoreError(
    'CORRUPT',
    `The file ${file} is damaged: ${why}. Nothing was changed. Restore it, or run repair.`,
    {
      file,
    },
  )
}
