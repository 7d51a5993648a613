import { readVarint, varintBytes } from './varint.ts'

/** What a batch has in front of its entries. */
export const BATCH_HEADER_BYTES = 12
const DELETE = 0
const PUT = 1

export interface BatchEntry {
  readonly key: Buffer
  /** `undefined`: deleted. */
  readonly value: Buffer | undefined
}

/** What an entry takes in a batch; without a value it deletes. */
export function entryBytes(key: Buffer, value?: Buffer): number {
  const put = value === undefined ? 0 : varintBytes(value.length) + value.length
  return 1 + varintBytes(key.length) + key.length + put
}

/** The sequence number of its first entry; the others follow. */
export function batchSequence(record: Buffer): number {
  return Number(record.readBigUInt64LE(0))
}

/** The entries of one record of a log, or `undefined` if it is not a whole batch. */
export function parseBatch(record: Buffer): readonly BatchEntry[] | undefined {
  if (record.length < BATCH_HEADER_BYTES) return undefined
  const count = record.readUInt32LE(8)
  const entries: BatchEntry[] = []
  let at = BATCH_HEADER_BYTES
  const slice = (): Buffer | undefined => {
    const length = readVarint(record, at)
    if (length === undefined || length.next + length.value > record.length) return undefined
    at = length.next + length.value
    return record.subarray(length.next, at)
  }
  while (at < record.length) {
    const type = record[at]
    at += 1
    const key = slice()
    const value = type === PUT ? slice() : undefined
    if (key === undefined || (type === PUT ? value === undefined : type !== DELETE)) return undefined
    entries.push({ key, value })
  }
  return entries.length === count ? entries : undefined
}
