import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Database } from './database.ts'
import { counterOf } from './files/inspect-store.ts'
import type { LogRecord } from './files/log-file.ts'
import { parseBatch } from './files/write-batch.ts'
import { COUNTER_KEY, decodeCounter } from './store-rows.ts'

/**
 * Writes again what LevelDB has passed over while it was opened. A log that it cannot open, because the process has too
 * many files open at that moment, it leaves out, says so in its diary alone, and deletes the log. `records` are those
 * that were in the logs before. They are newer than all tables, so to write them all once more, in order, ends in what
 * they had ended in.
 */
export async function replayMissed(database: Database, records: readonly LogRecord[]): Promise<void> {
  if (!(await hasMissed(database, records.at(-1)))) return
  for (const record of records) {
    const batch = database.batch()
    for (const { key, value } of parseBatch(record.bytes) ?? []) {
      if (value === undefined) batch.del(key)
      else batch.put(key, value)
    }
    await batch.write({ sync: true })
  }
}

async function hasMissed(database: Database, last: LogRecord | undefined): Promise<boolean> {
  if (last === undefined) return false
  const [counter] = await database.values([COUNTER_KEY])
  if (counter === undefined || decodeCounter(counter).batches !== counterOf(last)) return true
  // Of two logs it may have left out the first.
  return /ignoring error/i.test(readDiary(database.directory))
}

function readDiary(directory: string): string {
  try {
    return readFileSync(join(directory, 'LOG'), 'latin1')
  } catch {
    return '' // LevelDB could not make one, and goes without
  }
}
