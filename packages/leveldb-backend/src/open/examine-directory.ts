import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import type { OpenFinding } from '@turnlog/core/backend'
import { parseBatch, parseLog, recordsAnywhere, logName } from '@turnlog/leveldb-files'
import type { TornLog } from '@turnlog/leveldb-files'

import { Watermark } from './watermark.ts'
import type { WatermarkState } from './watermark.ts'
import { WATERMARK_FILE } from '../files/store-place.ts'
import { batchNumber } from '../files/batch-number.ts'
import { corruptFile, inspectStore } from '../files/inspect-store.ts'
import type { Inspection } from '../files/inspect-store.ts'
import { listStoreFiles } from '../files/store-files.ts'
import type { StoreFiles } from '../files/store-files.ts'
import type { StoreRows } from '../format/store-rows.ts'

export type Examined =
  /** Nothing was ever stored here. `leftovers` are files of a creation that was interrupted. */
  | { readonly kind: 'new'; readonly leftovers: readonly string[] }
  | { readonly kind: 'existing'; readonly watermark: WatermarkState; readonly inspection: Inspection }

/**
 * What is in a directory, without changing anything.
 *
 * The watermark is made before LevelDB is, so LevelDB files without one are no store of ours or not all of it.
 *
 * @throws `CORRUPT`, `INVALID_CONFIG`
 */
export async function examineDirectory(directory: string): Promise<Examined> {
  const files = listStoreFiles(directory)
  const leftovers = [
    ...(files.hasCurrent ? ['CURRENT'] : []),
    ...files.manifests,
    ...files.temporary,
    ...files.logs.map(logName),
  ]
  const isBare = leftovers.length === 0 && files.tables.size === 0
  if (isBare && !files.hasWatermark) {
    if (files.foreign.length === 0) return { kind: 'new', leftovers }
    throw new StoreError(
      'INVALID_CONFIG',
      `The directory ${directory} holds no store but other files, such as ${JSON.stringify(files.foreign[0])}. Use an empty directory.`,
    )
  }
  if (isBare && isBlank(join(directory, WATERMARK_FILE))) return { kind: 'new', leftovers }
  const watermark = Watermark.read(directory)
  if (watermark.batches === 0 && files.tables.size === 0 && !hasRecords(directory, files))
    return { kind: 'new', leftovers }
  return { kind: 'existing', watermark, inspection: await inspectStore(directory, files) }
}

/** @throws `CORRUPT` if the files do not belong together */
export function compareIdentity(directory: string, watermark: WatermarkState, { storeId }: StoreRows): void {
  if (storeId === watermark.storeId) return
  const file = join(directory, WATERMARK_FILE)
  throw new StoreError('CORRUPT', `The file ${file} belongs to another store. Restore the right one, or run repair.`, {
    file,
  })
}

/**
 * Whether the store has come as far as the watermark says, and what was cut off its end.
 *
 * @throws `CORRUPT` if something is missing that was acknowledged in `sync` mode, or that others were written after
 */
export function compareWithWatermark(
  directory: string,
  watermark: WatermarkState,
  batches: number,
  torn: TornLog | undefined,
): OpenFinding[] {
  const lost = watermark.batches - batches
  if (lost > 0 && watermark.durability === 'sync') {
    throw new StoreError(
      'CORRUPT',
      `The store in ${directory} has lost its last ${lost} batches, which were acknowledged: it ends at batch ${batches} instead of ${watermark.batches}. Restore the newest log, or run repair to accept the loss.`,
      { file: torn?.file ?? join(directory, WATERMARK_FILE) },
    )
  }
  if (lost > 0 && torn !== undefined && isFollowed(torn, batches, watermark.batches)) {
    throw corruptFile(torn.file, `the record at byte ${torn.offset} is damaged and others follow it`)
  }
  const where = torn === undefined ? {} : { file: torn.file, bytes: torn.bytes }
  if (lost > 0) {
    return [{ kind: 'lost-tail', message: `The last ${lost} batches of appends are missing.`, ...where }]
  }
  if (torn === undefined) return []
  return [
    {
      kind: 'torn-tail',
      message: `An append that was never acknowledged was cut off the end of ${torn.file}.`,
      ...where,
    },
  ]
}

/** Whether some of the batches that are missing stand behind the torn one after all. */
function isFollowed({ file, offset }: TornLog, after: number, upTo: number): boolean {
  for (const record of recordsAnywhere(readFileSync(file), offset + 1)) {
    const batch = batchNumber(parseBatch(record.bytes) ?? []) ?? 0
    if (batch > after && batch <= upTo) return true
  }
  return false
}

function hasRecords(directory: string, files: StoreFiles): boolean {
  return files.logs.some((number) => {
    const { records, rest } = parseLog(readFileSync(join(directory, logName(number))))
    return records.length > 0 || rest === 'damaged'
  })
}

/** Never written: a crash came between making the file and filling it. */
function isBlank(file: string): boolean {
  return readFileSync(file).every((byte) => byte === 0)
}
