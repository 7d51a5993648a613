import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import { parseLog, logName } from '@turnlog/leveldb-files'
import type { LogRecord } from '@turnlog/leveldb-files'

import type { Database } from '../database/database.ts'
import { corruptFile, counterOf, skippedRecords } from '../files/inspect-store.ts'
import { removeLogLinks, linkLogs } from '../files/log-links.ts'
import { listStoreFiles } from '../files/store-files.ts'
import { openLevel, openShadow } from '../database/level.ts'
import type { Level } from '../database/level.ts'
import type { CheckedOptions } from '../leveldb-options.ts'
import { rewriteSkipped } from './rewrite-skipped.ts'
import { readStoreRows } from '../format/store-rows.ts'

/** LevelDB writes a MANIFEST, a log and a table when it opens; the table is what was in the logs. */
const REOPEN_BYTES = 1024 * 1024

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
  probeSpace(directory)
  // What needs a descriptor is done before LevelDB is closed: if it failed then, nobody could read.
  const { logs, skipped, kept } = holdLogs(directory)
  const open = async (): Promise<Level> => {
    let level: Level | undefined
    try {
      const records = cutBehind(logs, batches)
      closeLogs(logs) // LevelDB may need the descriptors
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
  }
  try {
    await database.exchange(open)
  } finally {
    closeLogs(logs)
  }
  if (database.isShadow) throw stillFailing(directory)
  const rows = await readStoreRows(database)
  if (rows.batches === batches) return
  throw new StoreError(
    'CORRUPT',
    `The store in ${directory} was reopened after a failed write and ends at batch ${rows.batches} instead of ${batches}.`,
  )
}

/** Writes as many bytes as reopening will need and removes them again. */
function probeSpace(directory: string): void {
  const file = join(directory, 'turnlog.probe')
  let left = REOPEN_BYTES
  try {
    for (const number of listStoreFiles(directory).logs) {
      // LevelDB is open and may just have moved a log into a table.
      left += statSync(join(directory, logName(number)), { throwIfNoEntry: false })?.size ?? 0
    }
    const descriptor = openSync(file, 'w', 0o600)
    try {
      const zeros = Buffer.alloc(REOPEN_BYTES)
      while (left > 0) left -= writeSync(descriptor, zeros, 0, Math.min(left, zeros.length))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw stillFailing(directory, error)
  } finally {
    rmSync(file, { force: true })
  }
}

/** Cuts everything after batch number `batches` off the logs. @throws `CORRUPT`, or what the file system says */
export function cutFailedBatch(directory: string, batches: number): void {
  const logs = openLogs(directory)
  try {
    cutBehind(logs, batches)
  } finally {
    closeLogs(logs)
  }
}

interface OpenLog {
  readonly file: string
  readonly descriptor: number
}

/** @throws `IO`, `CORRUPT` */
function holdLogs(directory: string): {
  readonly logs: OpenLog[]
  readonly skipped: readonly LogRecord[]
  readonly kept: readonly string[]
} {
  const logs = openLogs(directory)
  try {
    return { logs, skipped: skippedRecords(directory), kept: linkLogs(directory) }
  } catch (error) {
    closeLogs(logs)
    throw isStoreError(error) ? error : stillFailing(directory, error)
  }
}

/** @throws `IO` */
function openLogs(directory: string): OpenLog[] {
  const logs: OpenLog[] = []
  try {
    for (const number of listStoreFiles(directory).logs) {
      const file = join(directory, logName(number))
      try {
        logs.push({ file, descriptor: openSync(file, 'r+') })
      } catch (error) {
        // LevelDB is open and may just have moved the log into a table; such a log is not written to any more.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    return logs
  } catch (error) {
    closeLogs(logs)
    throw stillFailing(directory, error)
  }
}

function closeLogs(logs: OpenLog[]): void {
  for (const { descriptor } of logs.splice(0)) closeSync(descriptor)
}

/** @returns what stays */
function cutBehind(logs: readonly OpenLog[], batches: number): readonly LogRecord[] {
  const kept: LogRecord[] = []
  for (const { file, descriptor } of logs) {
    const { records, end, rest } = parseLog(readFileSync(descriptor))
    if (rest === 'damaged') throw corruptFile(file, `the record at byte ${end} is damaged`)
    const failed = records.find((record) => (counterOf(record) ?? 0) > batches)
    kept.push(...records.filter((record) => failed === undefined || record.offset < failed.offset))
    if (failed === undefined && rest !== 'torn') continue
    ftruncateSync(descriptor, failed?.offset ?? end)
    fsyncSync(descriptor)
  }
  return kept
}

function stillFailing(directory: string, cause?: unknown): StoreError {
  return new StoreError(
    'IO',
    `Cannot append in ${directory}: an earlier write failed and the storage is not usable yet. Free some space; reading goes on.`,
    cause === undefined ? {} : { cause },
  )
}
