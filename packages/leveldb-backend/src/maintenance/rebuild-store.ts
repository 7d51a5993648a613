import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { isStoreError } from '@turnlog/core/backend'
import type { Problem } from '@turnlog/core/backend'

import { Anchor } from '../anchor.ts'
import { Database } from '../database.ts'
import { readLogRows } from '../files/log-rows.ts'
import { keptName, listStoreFiles, logName } from '../files/store-files.ts'
import { readTableRows } from '../files/table-rows.ts'
import type { SequencedRow } from '../files/table-rows.ts'
import { openLevel } from '../level.ts'
import type { CheckedOptions } from '../leveldb-options.ts'
import { COUNTER_KEY, decodeCounter, encodeCounter, encodeIdentity, IDENTITY_KEY } from '../store-rows.ts'
import { rebuildSessions } from './rebuild-sessions.ts'

const BATCH_BYTES = 1024 * 1024

/** Copies every whole row of `from` that was not replaced or deleted to a new store in `to`, and makes it consistent. */
export async function rebuildStore(
  from: string,
  to: string,
  options: CheckedOptions,
  onAction: (action: Problem) => void,
): Promise<void> {
  const files = listStoreFiles(from)
  const unread = files.keptLogs.filter((number) => !files.logs.includes(number))
  const sources = [
    ...[...files.tables.values()].map((name) => ({ file: join(from, name), read: readTableRows })),
    ...[...files.logs.map(logName), ...unread.map(keptName)].map((name) => ({
      file: join(from, name),
      read: readLogRows,
    })),
  ]
  const scan = function* (report: (action: Problem) => void): Generator<SequencedRow> {
    for (const { file, read } of sources)
      yield* read(file, (problem) => report({ message: `${file}: ${problem}.`, file }))
  }
  const newest = new Map<string, number>()
  let batches = 0
  for (const { key, sequence, value } of scan(onAction)) {
    const name = key.toString('latin1')
    if ((newest.get(name) ?? -1) < sequence) newest.set(name, sequence)
    if (value !== undefined && key.equals(COUNTER_KEY)) batches = Math.max(batches, countOf(value))
  }
  const level = await openLevel(to, options, true)
  const database = new Database(to, level)
  try {
    let batch = database.batch()
    let bytes = 0
    for (const { key, sequence, value } of scan(() => undefined)) {
      if (value === undefined || newest.get(key.toString('latin1')) !== sequence) continue
      batch.put(key, value)
      bytes += key.length + value.length
      if (bytes < BATCH_BYTES) continue
      await batch.write()
      batch = database.batch()
      bytes = 0
    }
    await batch.write()
    const sessions = await rebuildSessions(database, { onAction, signal: undefined })
    const storeId = identityOf(from)
    const last = database.batch()
    last.put(IDENTITY_KEY, encodeIdentity(storeId))
    last.put(COUNTER_KEY, encodeCounter({ batches: batches + 1, sessions }))
    await last.write({ sync: true })
    // The rebuilt logs hold batches without a number, which opening would not accept: everything goes into tables.
    await database.compact(Buffer.of(0), Buffer.of(0xff))
    Anchor.create(to, { storeId, batches: batches + 1, durability: options.durability }).close()
  } finally {
    await database.close()
  }
}

function countOf(value: Buffer): number {
  try {
    return decodeCounter(value).batches
  } catch (error) {
    if (isStoreError(error)) return 0 // damaged, and written anew in any case
    throw error
  }
}

function identityOf(directory: string): string {
  try {
    return Anchor.read(directory).storeId
  } catch (error) {
    if (isStoreError(error)) return randomBytes(16).toString('hex')
    throw error
  }
}
