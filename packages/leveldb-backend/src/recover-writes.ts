import { closeSync, fsyncSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

import type { Database } from './database.ts'
import { corruptFile, counterOf } from './files/inspect-store.ts'
import { parseLog } from './files/log-file.ts'
import { cutFile } from './files/set-aside.ts'
import { listStoreFiles, logName } from './files/store-files.ts'
import { openLevel, openShadow } from './level.ts'
import type { CheckedOptions } from './leveldb-options.ts'
import { readStoreRows } from './store-rows.ts'

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
  await database.exchange(async () => {
    try {
      cutFailedBatch(directory, batches)
      beforeOpen()
      return await openLevel(directory, options, false)
    } catch (error) {
      return openShadow(directory, options).catch(() => {
        throw error
      })
    }
  })
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
  for (const number of listStoreFiles(directory).logs) {
    const file = join(directory, logName(number))
    const { records, end, rest } = parseLog(readFileSync(file))
    if (rest === 'damaged') throw corruptFile(file, `the record at byte ${end} is damaged`)
    const failed = records.find((record) => (counterOf(record) ?? 0) > batches)
    if (failed !== undefined) cutFile(file, failed.offset)
    else if (rest === 'torn') cutFile(file, end)
  }
}

function stillFailing(directory: string, cause?: unknown): StoreError {
  return new StoreError(
    'IO',
    `Cannot append in ${directory}: an earlier write failed and the storage is not usable yet. Free some space; reading goes on.`,
    cause === undefined ? {} : { cause },
  )
}
