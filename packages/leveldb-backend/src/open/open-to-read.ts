import { StoreError } from '@turnlog/core/backend'
import type { OpenReport } from '@turnlog/core/backend'
import { TableVerifier } from '@turnlog/leveldb-files'

import { Database } from '../database/database.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { compareIdentity, compareWithWatermark, examineDirectory } from './examine-directory.ts'
import { existingDirectory, noStore } from './existing-directory.ts'
import { lastNumber, tableErrors } from '../files/inspect-store.ts'
import { StoreLock } from '../lock/store-lock.ts'
import { readStoreRows } from '../format/store-rows.ts'
import { openShadow } from './open-shadow.ts'
import { refuseUnfinishedRepair } from './unfinished-repair.ts'

const ADVICE = 'Open it to write to make one.'

/** A store that is only looked at, through a shadow. Works on read-only media. */
export class ReadOnlyStore {
  readonly directory: string
  readonly database: Database
  readonly report: OpenReport

  private constructor(directory: string, database: Database, report: OpenReport) {
    this.directory = directory
    this.database = database
    this.report = report
  }

  /** @throws `NOT_FOUND`, `LOCKED`, `CORRUPT`, `UNSUPPORTED`, `IO` */
  static async open(options: CheckedOptions): Promise<ReadOnlyStore> {
    const directory = existingDirectory(options.path, ADVICE)
    const gone = await StoreLock.check(directory)
    const writerSince = (cause: unknown): StoreError | undefined =>
      StoreLock.isTakenSince(directory, gone) ? takenAway(directory, cause) : undefined
    try {
      return await ReadOnlyStore.#look(directory, options, writerSince)
    } catch (error) {
      throw writerSince(error) ?? error
    }
  }

  static async #look(
    directory: string,
    options: CheckedOptions,
    writerSince: (cause: unknown) => StoreError | undefined,
  ): Promise<ReadOnlyStore> {
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
      return new ReadOnlyStore(directory, database, { created: false, findings })
    } catch (error) {
      await database.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.database.close()
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
