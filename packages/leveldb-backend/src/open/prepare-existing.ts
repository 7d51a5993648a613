import type { OpenFinding } from '@turnlog/core/backend'
import { findTableRow } from '@turnlog/leveldb-files'
import type { SequencedRow, InspectedTable, TableVerifier } from '@turnlog/leveldb-files'

import { compareWithWatermark } from './examine-directory.ts'
import type { Examined } from './examine-directory.ts'
import { corruptFile, lastNumber } from '../files/inspect-store.ts'
import { removeTablesAside, setFileAside, setTailAside } from '../files/set-aside.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { decodeStoreRows } from '../format/store-rows.ts'

type Existing = Extract<Examined, { kind: 'existing' }>

/**
 * Makes a store that exists ready for LevelDB: what LevelDB would destroy is set aside. Compares with the watermark first,
 * so that nothing is changed in a store that has lost something.
 */
export async function prepareExisting(
  directory: string,
  options: CheckedOptions,
  { watermark, inspection }: Existing,
  verifier: TableVerifier,
): Promise<OpenFinding[]> {
  const { tables, torn, orphans, skipped } = inspection
  await verifier.prepare([...inspection.records, ...inspection.skipped], options.writeBufferBytes)
  // If the logs hold no whole batch, the number of the last one is in a table.
  const batches = inspection.batches ?? decodeStoreRows(directory, (key) => newestIn(tables, key)).batches
  const findings = compareWithWatermark(directory, watermark, Math.max(batches, lastNumber(skipped)), torn)
  if (torn !== undefined) setTailAside(torn.file, torn.offset)
  // A kill in the midst of a compaction leaves some each time. Those of an earlier one: the store was opened since, whole.
  if (orphans.length > 0) removeTablesAside(directory)
  for (const file of orphans) {
    const aside = setFileAside(file)
    findings.push({
      kind: 'set-aside',
      message: `A table that belongs to no version was moved to ${aside}.`,
      file: aside,
    })
  }
  return findings
}

/** The newest value of a key, without LevelDB. @throws `CORRUPT` naming the file */
function newestIn(tables: readonly InspectedTable[], key: Buffer): Buffer | undefined {
  let newest: SequencedRow | undefined
  for (const { file, smallest, largest } of tables) {
    if (smallest.compare(key) > 0 || largest.compare(key) < 0) continue
    const found = findTableRow(file, key)
    if ('problem' in found) throw corruptFile(file, found.problem)
    if (found.row !== undefined && found.row.sequence > (newest?.sequence ?? -1)) newest = found.row
  }
  return newest?.value
}
