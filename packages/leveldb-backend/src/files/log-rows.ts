import { readFileSync } from 'node:fs'

import { nextRecord, parseLog } from './log-file.ts'
import type { SequencedRow } from './table-rows.ts'
import { batchSequence, parseBatch } from './write-batch.ts'

/** Reads a log without LevelDB: every whole batch, also those behind a damaged place. */
export function* readLogRows(file: string, onProblem: (problem: string) => void): Generator<SequencedRow> {
  const bytes = readFileSync(file)
  let start: number | undefined = 0
  while (start !== undefined) {
    const { records, end, rest } = parseLog(bytes, start)
    for (const { bytes: record, offset } of records) {
      const entries = parseBatch(record)
      if (entries === undefined) onProblem(`the record at byte ${offset} is no batch`)
      const sequence = entries === undefined ? 0 : batchSequence(record)
      for (const [index, entry] of (entries ?? []).entries()) yield { ...entry, sequence: sequence + index }
    }
    if (rest !== 'nothing') onProblem(`the record at byte ${end} is damaged`)
    start = rest === 'damaged' ? nextRecord(bytes, end + 1) : undefined
  }
}
