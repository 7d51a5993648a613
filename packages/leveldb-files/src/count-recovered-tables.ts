import type { LogRecord } from './read-log.ts'

/** Where the number of rows stands in a batch, behind its sequence number. */
const COUNT_OFFSET = 8
/** What a row takes in memory beyond what it takes in the log: a sequence number, a node of a list, alignment. */
const ROW_BYTES = 40
/** Memory comes in blocks, of which up to a quarter stays empty; the first one is there before the first row. */
const BLOCK_SHARE = 4 / 3
const BLOCK_BYTES = 8 * 1024

/**
 * How many tables LevelDB makes of logs when it opens them, at most: one of what is left at the end of each log, and one
 * whenever the rows in memory are more than a write buffer. How much they take there is chance, so it is estimated
 * upwards: one table too many costs time, one too few a compaction that nobody expects.
 */
export function countRecoveredTables(records: readonly LogRecord[], writeBufferBytes: number): number {
  let tables = 0
  let memory = 0
  for (const { offset, bytes } of records) {
    if (offset === 0) {
      tables++
      memory = BLOCK_BYTES
    }
    memory += (bytes.length + ROW_BYTES * bytes.readUInt32LE(COUNT_OFFSET)) * BLOCK_SHARE
    if (memory <= writeBufferBytes) continue
    tables++
    memory = BLOCK_BYTES
  }
  return tables
}
