import { readFileSync } from 'node:fs'

import { parseLog } from './read-log.ts'
import type { SequencedRow } from './read-table-rows.ts'
import { batchSequence, parseBatch } from './write-batch.ts'
import type { BatchEntry } from './write-batch.ts'

/**
 * Reads a log without LevelDB: every whole batch, also those behind damage. There a batch must follow from the batches
 * before it: `numberOf` must give the next number, and its sequence number must be higher. So bytes that damage makes
 * look like a batch are not taken for one. Without damage `numberOf` decides nothing.
 */
export function* readLogRows(
  file: string,
  onProblem: (problem: string) => void,
  numberOf: (entries: readonly BatchEntry[]) => number | undefined,
): Generator<SequencedRow> {
  const bytes = readFileSync(file)
  let last: { readonly batch: number; readonly sequence: number } = { batch: 0, sequence: -1 }
  for (let start: number | undefined = 0; start !== undefined;) {
    const { records, end, rest, next } = parseLog(bytes, start)
    const isBehindDamage = start > 0
    let isFirst = true
    for (const { bytes: record, offset } of records) {
      const entries = parseBatch(record)
      const sequence = entries === undefined ? 0 : batchSequence(record)
      const batch = entries === undefined ? undefined : numberOf(entries)
      const follows =
        batch !== undefined && sequence > last.sequence && (isFirst ? batch > last.batch : batch === last.batch + 1)
      if (entries === undefined || (isBehindDamage && !follows)) {
        onProblem(
          `the record at byte ${offset} is no batch${entries === undefined ? '' : ' that goes on from those before it'}`,
        )
        continue
      }
      isFirst = false
      last = { batch: batch ?? last.batch, sequence }
      for (const [index, entry] of entries.entries()) yield { ...entry, sequence: sequence + index }
    }
    if (rest === 'damaged') onProblem(`the record at byte ${end} is damaged, and what was appended in it is lost`)
    if (rest === 'torn') onProblem(`the record at byte ${end} is damaged or was never finished`)
    start = next
  }
}
