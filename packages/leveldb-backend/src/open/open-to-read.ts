import { StoreError } from '@turnlog/core/backend'
import { TableVerifier } from '@turnlog/leveldb-files'

import { Database } from '../database/database.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { compareIdentity, compareWithWatermark, examineDirectory } from './examine-directory.ts'
import { existingDirectory, noStore } from './existing-directory.ts'
import { lastNumber, tableErrors } from '../files/inspect-store.ts'
import { StoreLock } from '../lock/store-lock.ts'
import { readStoreRows } from '../format/store-rows.ts'
import { openShadow } from './open-shadow.ts'
import type { WritableStore } from './open-to-write.ts'
import { refuseUnfinishedRepair } from './unfinished-repair.ts'

const ADVICE = 'Open it to write to make one.'

export type ReadableStore = Pick<WritableStore, 'directory' | 'database' | 'report' | 'close'>

/**
 * A store that is only looked at, through a shadow. Works on read-only media.
 *
 * @throws `NOT_FOUND`, `LOCKED`, `CORRUPT`, `UNSUPPORTED`, `IO`
 */
export async function openToRead(options: CheckedOptions): Promise<ReadableStore> {
  const directory = existingDirectory(options.path, ADVICE)
  const gone = await StoreLock.check(directory)
  const writerSince = (cause: unknown): StoreError | undefined =>
    StoreLock.isTakenSince(directory, gone) ? takenAway(directory, cause) : undefined
  try {
    return await look(directory, options, writerSince)
  } catch (error) {
    throw writerSince(error) ?? error
  }
}

async function look(
  directory: string,
  options: CheckedOptions,
  writerSince: (cause: unknown) => StoreError | undefined,
): Promise<ReadableStore> {
  const examined = await examineDirectory(directory)
  if (examined.kind === 'new') {
    refuseUnfinishedRepair(directory)
    throw noStore(options.path, ADVICE)
  }
  const { watermark, inspection } = examined
  const verifier = new TableVerifier(inspection.tables, tableErrors)
  await verifier.prepare([...inspection.records, ...inspection.skipped], options.writeBufferBytes)
  const level = await openShadow(directory, options, inspection.torn)
  const database = new Database(directory, level, verifier, writerSince)
  try {
    const rows = await readStoreRows(database)
    if (inspection.skipped.length > 0 && rows.batches <= lastNumber(inspection.skipped)) throw interrupted(directory)
    if (rows.batches < (inspection.batches ?? 0)) throw skippedLog(directory)
    compareIdentity(directory, watermark, rows)
    const findings = compareWithWatermark(directory, watermark, rows.batches, inspection.torn)
    return { directory, database, report: { created: false, findings }, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A reader leaves no trace, so a writer may come at any time and take the files away. That is no damage. */
function takenAway(directory: string, cause: unknown): StoreError {
  return new StoreError(
    'LOCKED',
    `Cannot go on reading ${directory}: it was opened for writing meanwhile, and its files have changed. Open it again when the writer has closed it.`,
    { cause },
  )
}

/** See `rewriteSkipped`: here nothing is written, and nothing was lost. */
function skippedLog(directory: string): StoreError {
  return new StoreError('IO', `Cannot read the logs of ${directory}: LevelDB could not open them. Open it again.`)
}

/** See `linkLogs`. */
function interrupted(directory: string): StoreError {
  return new StoreError(
    'IO',
    `Cannot read ${directory}: the last process that opened it died before it had everything in place. Open it once to write.`,
  )
}
