import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import {
  inspectDirectory,
  linkName,
  parseBatch,
  parseLog,
  readManifest as readLevelManifest,
} from '@turnlog/leveldb-files'
import type {
  FileProblem,
  Inspection as LevelInspection,
  LogRecord,
  Manifest,
  VerifierErrors,
} from '@turnlog/leveldb-files'
import { bootId } from '@turnlog/storage-kit'

import { COUNTER_BYTES, COUNTER_KEY, decodeCounter } from '../format/store-rows.ts'
import { listStoreFiles } from './store-files.ts'
import type { StoreFiles } from './store-files.ts'
import { readVerifiedTables, tableState } from './verified-tables-file.ts'
import { fromLevel } from '../database/to-store-error.ts'

/** How LevelDB writes the counter into a batch, up to its value: a put, and the lengths of key and value. */
const COUNTER_ENTRY = Buffer.concat([Buffer.of(1, COUNTER_KEY.length), COUNTER_KEY, Buffer.of(COUNTER_BYTES)])

export interface Inspection extends LevelInspection {
  /** What LevelDB may have skipped when it was last opened, see {@link skippedRecords}. */
  readonly skipped: readonly LogRecord[]
}

/** What LevelDB would find. @throws `CORRUPT` naming the file */
export async function inspectStore(directory: string, files: StoreFiles): Promise<Inspection> {
  const manifest = readManifest(directory, files)
  const verified = readVerifiedTables(directory, bootId())
  const isVerified = (...table: Parameters<typeof tableState>): boolean => verified.has(tableState(...table))
  const found = await inspectDirectory(directory, files, manifest, { numberOf: counterOf, isVerified })
  return { ...unlessProblem(found), skipped: skippedRecords(directory, files, manifest) }
}

/** The version that LevelDB would open. @throws `CORRUPT` naming the file */
export function readManifest(directory: string, files: StoreFiles): Manifest {
  return unlessProblem(readLevelManifest(directory, files))
}

/** @throws `CORRUPT` naming the file */
export function unlessProblem<T extends object>(found: T | FileProblem): T {
  if ('problem' in found) throw corruptFile(found.file, found.problem)
  return found
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
  const message = `The file ${file} is damaged: ${why}. Nothing was changed. Restore it, or run repair.`
  return new StoreError('CORRUPT', message, { file })
}

/** What a `TableVerifier` throws. */
export const tableErrors: VerifierErrors = {
  damaged: corruptFile,
  unreadable: (file, cause) => fromLevel(cause, 'read a table', file),
}
