import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parseBatch } from '@turnlog/leveldb-files'
import type { LogRecord } from '@turnlog/leveldb-files'

import type { Database } from '../database/database.ts'
import { lastNumber } from '../files/inspect-store.ts'
import type { Inspection } from '../files/inspect-store.ts'
import { COUNTER_KEY, decodeCounter } from '../format/store-rows.ts'

/**
 * Writes again what LevelDB has passed over while it was opened, see `linkLogs`: now, or the last time, when nobody came
 * to see. They are newer than all tables, so to write them all once more, in order, ends in what they had ended in.
 */
export async function rewriteSkipped(
  database: Database,
  { records, skipped }: Pick<Inspection, 'records' | 'skipped'>,
): Promise<void> {
  const batches = await lastBatch(database)
  if (skipped.length > 0) {
    // Unless somebody has gone on without them, who does not know second names: then they say nothing new.
    if (batches <= lastNumber(skipped)) await writeAgain(database, skipped)
  } else if (records.length > 0) {
    // Of two logs it may have left out the first.
    const isBehind = batches !== lastNumber(records)
    if (isBehind || /ignoring error/i.test(readTextLog(database.directory))) await writeAgain(database, records)
  }
}

async function writeAgain(database: Database, records: readonly LogRecord[]): Promise<void> {
  for (const record of records) {
    const batch = database.batch()
    for (const { key, value } of parseBatch(record.bytes) ?? []) {
      if (value === undefined) batch.del(key)
      else batch.put(key, value)
    }
    await batch.write({ sync: true })
  }
}

async function lastBatch(database: Database): Promise<number> {
  const [counter] = await database.values([COUNTER_KEY])
  return counter === undefined ? 0 : decodeCounter(counter).batches
}

function readTextLog(directory: string): string {
  try {
    return readFileSync(join(directory, 'LOG'), 'latin1')
  } catch {
    return '' // LevelDB could not make one, and goes without
  }
}
