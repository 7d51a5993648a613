import { closeSync, fstatSync, openSync } from 'node:fs'

import { BlockEntries } from './block-entries.ts'
import { checkTable, readBlock, TRAILER_BYTES } from './check-table.ts'

/** A row with the sequence number that LevelDB gave it: of two rows with one key the higher one counts. */
export interface SequencedRow {
  readonly key: Buffer
  readonly sequence: number
  /** `undefined`: deleted. */
  readonly value: Buffer | undefined
}

const SEQUENCE_BYTES = 8

/** Reads a table without LevelDB: every block whose checksum is right. `nameKey` puts a key into words, for problems. */
export function* readTableRows(
  file: string,
  onProblem: (problem: string) => void,
  nameKey: (key: Buffer) => string,
): Generator<SequencedRow> {
  const descriptor = openSync(file, 'r')
  try {
    const checked = checkTable(file, fstatSync(descriptor).size)
    if ('problem' in checked) {
      onProblem(`${checked.problem}; all of it is lost`)
      return
    }
    const index = new BlockEntries(checked.index)
    let offset = 0
    let before: Buffer = Buffer.alloc(0)
    for (const size of checked.sizes) {
      index.next()
      const limit = index.key().subarray(0, -SEQUENCE_BYTES)
      const rows = parseBlock(readBlock(descriptor, { offset, bytes: size - TRAILER_BYTES }))
      if (rows !== undefined) yield* rows
      else {
        const range = `rows between ${nameKey(before)} and ${nameKey(limit)}`
        onProblem(`the block at byte ${offset} is damaged, which held ${range}`)
      }
      offset += size
      before = limit
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The newest row of a table with this key. Reads only the blocks where it could be. */
export function findTableRow(
  file: string,
  key: Buffer,
): { readonly row: SequencedRow | undefined } | { readonly problem: string } {
  const descriptor = openSync(file, 'r')
  try {
    const checked = checkTable(file, fstatSync(descriptor).size)
    if ('problem' in checked) return checked
    const entries = new BlockEntries(checked.index)
    while (entries.next()) {
      const last = entries.key() // of the block, or between it and the next one
      if (userKey(last).compare(key) < 0) continue
      const { offset, bytes } = entries.handle()
      const rows = parseBlock(readBlock(descriptor, { offset, bytes }))
      if (rows === undefined) return { problem: `the block at byte ${offset} is damaged` }
      // Of one key the newest row comes first.
      const row = rows.find((candidate) => candidate.key.compare(key) >= 0)
      if (row !== undefined) return { row: row.key.equals(key) ? row : undefined }
    }
    return { row: undefined }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Whether any row, current or old, has a key that begins with one of these. Reads only the blocks where it could be: no key
 * in a block is above its entry in the index, none in the next one below.
 */
export function tableHoldsPrefix(file: string, prefixes: readonly Buffer[]): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const checked = checkTable(file, fstatSync(descriptor).size)
    if ('problem' in checked) return true // nobody can know
    const entries = new BlockEntries(checked.index)
    let before: Buffer = Buffer.alloc(0)
    while (entries.next()) {
      const key = entries.key()
      const limit = userKey(key)
      const lower = before
      before = limit
      const near = prefixes.filter(
        (prefix) => limit.compare(prefix) >= 0 && lower.subarray(0, prefix.length).compare(prefix) <= 0,
      )
      if (near.length === 0) continue
      const rows = parseBlock(readBlock(descriptor, entries.handle()))
      if (rows === undefined || rows.some((row) => near.some((prefix) => beginsWith(row.key, prefix)))) return true
    }
    return entries.isDamaged
  } finally {
    closeSync(descriptor)
  }
}

function userKey(key: Buffer): Buffer {
  return key.subarray(0, Math.max(0, key.length - SEQUENCE_BYTES))
}

export function beginsWith(key: Buffer, prefix: Buffer): boolean {
  return key.subarray(0, prefix.length).equals(prefix)
}

function parseBlock(block: Buffer | undefined): readonly SequencedRow[] | undefined {
  if (block === undefined) return undefined
  const entries = new BlockEntries(block)
  const rows: SequencedRow[] = []
  while (entries.next()) {
    const key = entries.key()
    if (key.length < SEQUENCE_BYTES) return undefined
    const tag = key.readBigUInt64LE(key.length - SEQUENCE_BYTES)
    rows.push({
      key: key.subarray(0, key.length - SEQUENCE_BYTES),
      sequence: Number(tag >> 8n),
      value: (tag & 0xffn) === 0n ? undefined : entries.value(),
    })
  }
  return entries.isDamaged ? undefined : rows
}
