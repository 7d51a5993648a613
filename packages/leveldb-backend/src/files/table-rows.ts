import { closeSync, fstatSync, openSync } from 'node:fs'

import { checkTable, readBlock } from './table-file.ts'
import { readVarint } from './varint.ts'

/** A row with the sequence number that LevelDB gave it: of two rows with one key the higher one counts. */
export interface SequencedRow {
  readonly key: Buffer
  readonly sequence: number
  /** `undefined`: deleted. */
  readonly value: Buffer | undefined
}

const SEQUENCE_BYTES = 8

/** Reads a table without LevelDB: every block whose checksum is right. */
export function* readTableRows(file: string, onProblem: (problem: string) => void): Generator<SequencedRow> {
  const descriptor = openSync(file, 'r')
  try {
    const checked = checkTable(file, fstatSync(descriptor).size)
    if ('problem' in checked) {
      onProblem(`${checked.problem}; all of it is lost`)
      return
    }
    for (const block of checked.blocks) {
      const rows = parseBlock(readBlock(descriptor, block))
      if (rows === undefined) onProblem(`the block at byte ${block.offset} is damaged`)
      else yield* rows
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Whether any row, live or not, has a key that begins like this. Reads only the blocks where it could be. */
export function holdsPrefix(file: string, prefix: Buffer): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const checked = checkTable(file, fstatSync(descriptor).size)
    if ('problem' in checked) return true // cannot be told
    let before: Buffer | undefined
    for (const block of checked.blocks) {
      if (before !== undefined && before.subarray(0, prefix.length).compare(prefix) > 0) return false
      before = block.limit
      if (block.limit.compare(prefix) < 0) continue
      const rows = parseBlock(readBlock(descriptor, block))
      if (rows === undefined || rows.some(({ key }) => key.subarray(0, prefix.length).equals(prefix))) return true
    }
    return false
  } finally {
    closeSync(descriptor)
  }
}

function parseBlock(block: Buffer | undefined): readonly SequencedRow[] | undefined {
  if (block === undefined || block.length < 4) return undefined
  const end = block.length - 4 * (block.readUInt32LE(block.length - 4) + 1)
  const rows: SequencedRow[] = []
  let key = Buffer.alloc(0)
  let at = 0
  while (at < end) {
    const shared = readVarint(block, at)
    const own = shared && readVarint(block, shared.next)
    const value = own && readVarint(block, own.next)
    if (shared === undefined || own === undefined || value === undefined) return undefined
    const start = value.next + own.value
    key = Buffer.concat([key.subarray(0, shared.value), block.subarray(value.next, start)])
    at = start + value.value
    if (key.length < SEQUENCE_BYTES || at > end) return undefined
    const tag = key.readBigUInt64LE(key.length - SEQUENCE_BYTES)
    rows.push({
      key: key.subarray(0, key.length - SEQUENCE_BYTES),
      sequence: Number(tag >> 8n),
      value: (tag & 0xffn) === 0n ? undefined : block.subarray(start, at),
    })
  }
  return rows
}
