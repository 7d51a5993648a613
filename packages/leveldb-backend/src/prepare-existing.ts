import type { OpenFinding } from '@turnlog/core/backend'

import { Database } from './database.ts'
import { compareWithAnchor } from './examine-directory.ts'
import type { Examined } from './examine-directory.ts'
import { lastNumber } from './files/inspect-store.ts'
import type { TornLog } from './files/inspect-store.ts'
import { removeTablesAside, setFileAside, setTailAside } from './files/set-aside.ts'
import { closeShadow, openShadow } from './level.ts'
import type { CheckedOptions } from './leveldb-options.ts'
import { readStoreRows } from './store-rows.ts'
import type { TableGuard } from './table-guard.ts'

type Existing = Extract<Examined, { kind: 'existing' }>

/**
 * Makes a store that exists ready for LevelDB: what LevelDB would destroy is set aside. Compares with the anchor first,
 * so that nothing is changed in a store that has lost something.
 */
export async function prepareExisting(
  directory: string,
  options: CheckedOptions,
  { anchor, inspection }: Existing,
  guard: TableGuard,
): Promise<OpenFinding[]> {
  const { torn, orphans, missed } = inspection
  await guard.prepare(inspection, options.writeBufferBytes)
  const batches = inspection.batches ?? (await countInShadow(directory, options, torn, guard))
  const findings = compareWithAnchor(directory, anchor, Math.max(batches, lastNumber(missed)), torn)
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

/** The logs hold no whole batch, so the number of the last one is in a table. */
async function countInShadow(
  directory: string,
  options: CheckedOptions,
  torn: TornLog | undefined,
  guard: TableGuard,
): Promise<number> {
  const level = await openShadow(directory, options, torn)
  try {
    return (await readStoreRows(new Database(directory, level, guard))).batches
  } finally {
    await closeShadow(level)
  }
}
