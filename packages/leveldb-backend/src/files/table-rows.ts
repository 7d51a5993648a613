import { readFileSync } from 'node:fs'

import { checkTable, isWhole, readBlockBytes } from './table-file.ts'
import type { BlockHandle } from './table-file.ts'
import { readVarint } from './varint.ts'

/** A row with the sequence number that LevelDB gave it: of two rows with one key the higher one counts. */
export interface SequencedRow {
  readonly key: Buffer
  readonly sequence: number
  /** `undefined`: deleted. */
  readonly value: Buffer | undefined
}

const SEQUENCE_BYTES = 8

/** Reads a table without LevelDB: every block whose checksum is right. `lost` counts the others. */
export function* readTableRows(file: string, onProblem: (problem: string) => void): Generator<SequencedRow> {
  const bytes = readFileSync(file)
  const checked = checkTable(file, bytes.length)
  if ('problem' in checked) {
    onProblem(`${checked.problem}; all of it is lost`)
    return
  }
  for (const block of checked.blocks) {
    const rows = parseBlock(bytes, block)
    if (rows === undefined) onProblem(`the block at byte ${block.offset} is damaged`)
    else yield* rows
  }
}

function parseBlock(bytes: Buffer, { offset, bytes: length }: BlockHandle): readonly SequencedRow[] | undefined {
  if (!isWhole(bytes, offset, length)) return undefined
  const block = readBlockBytes(bytes.subarray(offset, offset + length), bytes[offset + length])
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
