import { readFileSync } from 'node:fs'

import { batchNumber } from './batch-number.ts'
import { parseLog } from './log-file.ts'
import type { SequencedRow } from './table-rows.ts'
import { batchSequence, parseBatch } from './write-batch.ts'

/**
 * Reads a log without LevelDB: every whole batch, also those behind a damaged place. There a batch must go on from those
 * before it: it ends in the next number, and its sequence number is higher. What damage makes look like a batch does not.
 */
export function* readLogRows(file: string, onProblem: (problem: string) => void): Generator<SequencedRow> {
  const bytes = readFileSync(file)
  let last: { readonly batch: number; readonly sequence: number } = { batch: 0, sequence: -1 }
  for (let start: number | undefined = 0; start !== undefined;) {
    const { records, end, rest, next } = parseLog(bytes, start)
    const isBehindDamage = start > 0
    let isFirst = true
    for (const { bytes: record, offset } of records) {
      const entries = parseBatch(record)
      const sequence = entries === undefined ? 0 : batchSequence(record)
      const batch = entries === undefined ? undefined : batchNumber(entries)
      const goesOn =
        batch !== undefined && sequence > last.sequence && (isFirst ? batch > last.batch : batch === last.batch + 1)
      if (entries === undefined || (isBehindDamage && !goesOn)) {
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
