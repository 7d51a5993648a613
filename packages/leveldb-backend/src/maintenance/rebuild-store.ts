import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import type { Problem, RepairOptions } from '@turnlog/core/backend'
import { linkName, logName, readLogRows, readTableRows } from '@turnlog/leveldb-files'
import type { SequencedRow } from '@turnlog/leveldb-files'

import { Watermark } from '../open/watermark.ts'
import { Database } from '../database/database.ts'
import { listStoreFiles } from '../files/store-files.ts'
import { openLevel } from '../database/level.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { COUNTER_KEY, encodeCounter, encodeIdentity, IDENTITY_KEY } from '../format/store-rows.ts'
import { FoundStoreRows } from './found-store-rows.ts'
import { findMissingFiles } from './missing-files.ts'
import { rebuildSessions } from './rebuild-sessions.ts'
import { batchNumber } from '../files/batch-number.ts'
import { keyInWords } from '../format/row-keys.ts'

const BATCH_BYTES = 1024 * 1024

interface Report {
  readonly onAction: (action: Problem) => void
  readonly onProgress: RepairOptions['onProgress'] | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Copies every whole row of `from` that was not replaced or deleted to a new store in `to`, and makes it consistent.
 *
 * @throws `UNSUPPORTED` if something in it is of a newer format
 */
export async function rebuildStore(from: string, to: string, options: CheckedOptions, report: Report): Promise<void> {
  const { onAction, signal } = report
  const sources = sourcesOf(from, onAction)
  let done = 0
  const advance = (): void => {
    done++
    report.onProgress?.(done, 2 * sources.length + 1)
  }
  const scan = async function* (onProblem: (action: Problem) => void): AsyncGenerator<Iterable<SequencedRow>> {
    for (const { file, read } of sources) {
      signal?.throwIfAborted()
      yield read((problem) => onProblem({ message: `${file}: ${problem}.`, file }))
      advance()
      await setImmediate() // a store of thousands of files must not hold up the process
    }
  }
  const newest = new Map<string, number>()
  const rows = new FoundStoreRows(from)
  for await (const found of scan(onAction)) {
    for (const { key, sequence, value } of found) {
      const name = key.toString('latin1')
      if ((newest.get(name) ?? -1) < sequence) newest.set(name, sequence)
      if (value !== undefined) rows.see(key, sequence, value)
    }
  }
  const { storeId, counter, isNewest } = rows.compareWithWatermark(onAction)
  const level = await openLevel(to, options, true)
  const database = new Database(to, level)
  try {
    for await (const found of scan(() => undefined)) await copyRows(database, found, newest)
    const sessions = await rebuildSessions(database, { onAction, signal })
    if (isNewest && counter.sessions !== sessions) {
      onAction({ message: `The number of sessions is written anew: ${sessions} instead of ${counter.sessions}.` })
    }
    const batches = counter.batches + 1
    const last = database.batch()
    last.put(IDENTITY_KEY, encodeIdentity(storeId))
    last.put(COUNTER_KEY, encodeCounter({ batches, sessions }))
    await last.write({ sync: true })
    // The rebuilt logs hold batches without a number, which opening would not accept: everything goes into tables.
    await database.compact(Buffer.of(0), Buffer.of(0xff))
    Watermark.create(to, { storeId, batches, durability: options.durability }).close()
    advance()
  } finally {
    await database.close()
  }
}

interface Source {
  readonly file: string
  readonly read: (onProblem: (problem: string) => void) => Iterable<SequencedRow>
}

function sourcesOf(directory: string, onAction: (action: Problem) => void): readonly Source[] {
  const files = listStoreFiles(directory)
  const replaced = findMissingFiles(directory, files, onAction)
  const unread = files.linkedLogs.filter((number) => !files.logs.includes(number))
  const tables = [...files.tables].filter(([number]) => !replaced.has(number)).map(([, name]) => name)
  const logs = [...files.logs.map(logName), ...unread.map(linkName)]
  type Read = (file: string, ...rest: Parameters<Source['read']>) => Iterable<SequencedRow>
  const source = (name: string, read: Read): Source => {
    const file = join(directory, name)
    return { file, read: (onProblem) => read(file, onProblem) }
  }
  return [
    ...tables.map((name) => source(name, (file, onProblem) => readTableRows(file, onProblem, keyInWords))),
    ...logs.map((name) => source(name, (file, onProblem) => readLogRows(file, onProblem, batchNumber))),
  ]
}

async function copyRows(
  database: Database,
  rows: Iterable<SequencedRow>,
  newest: ReadonlyMap<string, number>,
): Promise<void> {
  let batch = database.batch()
  let bytes = 0
  for (const { key, sequence, value } of rows) {
    if (value === undefined || newest.get(key.toString('latin1')) !== sequence) continue
    batch.put(key, value)
    bytes += key.length + value.length
    if (bytes < BATCH_BYTES) continue
    await batch.write()
    batch = database.batch()
    bytes = 0
  }
  await batch.write()
}
