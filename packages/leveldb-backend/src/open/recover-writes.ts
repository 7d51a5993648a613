import { isStoreError, StoreError } from '@turnlog/core/backend'
import { HeldLogs, linkLogs, probeReopening, removeLogLinks } from '@turnlog/leveldb-files'
import type { LogRecord } from '@turnlog/leveldb-files'

import type { Database } from '../database/database.ts'
import { counterOf, skippedRecords, unlessProblem } from '../files/inspect-store.ts'
import { openLevel } from '../database/level.ts'
import type { Level } from '../database/level.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { openShadow } from './open-shadow.ts'
import { rewriteSkipped } from './rewrite-skipped.ts'
import { readStoreRows } from '../format/store-rows.ts'

/**
 * Makes a database fit for writing again after a failed write: closed, rid of the failed batch, reopened, compared.
 *
 * LevelDB goes on accepting writes after a full disk and loses them at the next open; and the batch that failed may
 * still be in the log, or in a buffer that is written when the file is closed. Its callers were told that it failed, so
 * it is cut off before LevelDB reads the log again. Until there is room for all this the old handle stays, because it
 * still reads what is acknowledged, and nothing else.
 *
 * @throws `IO` if it cannot be done yet, `CORRUPT`
 */
export async function recoverWrites(
  directory: string,
  options: CheckedOptions,
  database: Database,
  batches: number,
  beforeOpen: () => void,
): Promise<void> {
  orStillFailing(directory, () => probeReopening(directory))
  // What needs a descriptor is done before LevelDB is closed: if it failed then, nobody could read.
  const logs = orStillFailing(directory, () => new HeldLogs(directory))
  try {
    const skipped = orStillFailing(directory, () => skippedRecords(directory))
    const kept = orStillFailing(directory, () => linkLogs(directory))
    await database.exchange(async () => {
      let level: Level | undefined
      try {
        const records = cutBehind(logs, batches)
        logs.close() // LevelDB may need the descriptors
        beforeOpen()
        level = await openLevel(directory, options, false)
        await rewriteSkipped(database.on(level), { records, skipped })
        removeLogLinks(kept)
        return level
      } catch (error) {
        await level?.close()
        // Nobody may read what is perhaps not all there: it would look like damage.
        if (level !== undefined || skipped.length > 0) throw error
        return openShadow(directory, options).catch(() => {
          throw error
        })
      }
    })
  } finally {
    logs.close()
  }
  if (database.isShadow) throw stillFailing(directory)
  const rows = await readStoreRows(database)
  if (rows.batches === batches) return
  throw new StoreError(
    'CORRUPT',
    `The store in ${directory} was reopened after a failed write and ends at batch ${rows.batches} instead of ${batches}.`,
  )
}

/** Cuts everything after batch number `batches` off the logs. @throws `IO`, `CORRUPT`, or what the file system says */
export function cutFailedBatch(directory: string, batches: number): void {
  const logs = orStillFailing(directory, () => new HeldLogs(directory))
  try {
    cutBehind(logs, batches)
  } finally {
    logs.close()
  }
}

/** @returns what stays. @throws `CORRUPT` */
function cutBehind(logs: HeldLogs, batches: number): readonly LogRecord[] {
  return unlessProblem(logs.cut((record) => (counterOf(record) ?? 0) > batches))
}

/** @throws `IO`, or what is an error of ours already */
function orStillFailing<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isStoreError(error) ? error : stillFailing(directory, error)
  }
}

function stillFailing(directory: string, cause?: unknown): StoreError {
  return new StoreError(
    'IO',
    `Cannot append in ${directory}: an earlier write failed and the storage is not usable yet. Free some space; reading goes on.`,
    cause === undefined ? {} : { cause },
  )
}
