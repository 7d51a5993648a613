import { encodeVarint, readVarint, varintBytes } from './varint.ts'

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

/** The record of a log that writes these entries. `sequence` is the number of the first one. */
export function encodeBatch(sequence: number, entries: readonly BatchEntry[]): Buffer {
  const header = Buffer.alloc(BATCH_HEADER_BYTES)
  header.writeBigUInt64LE(BigInt(sequence), 0)
  header.writeUInt32LE(entries.length, 8)
  const slice = (bytes: Buffer): readonly Buffer[] => [encodeVarint(bytes.length), bytes]
  const parts = entries.flatMap(({ key, value }) =>
    value === undefined ? [Buffer.of(DELETE), ...slice(key)] : [Buffer.of(PUT), ...slice(key), ...slice(value)],
  )
  return Buffer.concat([header, ...parts])
}

/** The sequence number of its first entry; the others follow. */
export function batchSequence(record: Buffer): number {
  return Number(record.readBigUInt64LE(0))
}

/** The entries of one record of a log, or `undefined` if it is not a whole batch. */
export function parseBatch(record: Buffer): readonly BatchEntry[] | undefined {
  const entries: BatchEntry[] = []
  const end = walkBatch(record, (entry) => entries.push(entry))
  return end === record.length ? entries : undefined
}

/** How long a batch is by what is in it, whatever follows; `undefined` if it is not whole, or has no entries. */
export function batchBytes(bytes: Buffer): number | undefined {
  const end = walkBatch(bytes, () => undefined)
  return end === BATCH_HEADER_BYTES ? undefined : end
}

/** Gives where it ends. */
function walkBatch(bytes: Buffer, visit: (entry: BatchEntry) => void): number | undefined {
  if (bytes.length < BATCH_HEADER_BYTES) return undefined
  let at = BATCH_HEADER_BYTES
  const slice = (): Buffer | undefined => {
    const length = readVarint(bytes, at)
    if (length === undefined || length.next + length.value > bytes.length) return undefined
    at = length.next + length.value
    return bytes.subarray(length.next, at)
  }
  for (let left = bytes.readUInt32LE(8); left > 0; left--) {
    const type = bytes[at]
    at++
    const key = slice()
    const value = type === PUT ? slice() : undefined
    if (key === undefined || (type === PUT ? value === undefined : type !== DELETE)) return undefined
    visit({ key, value })
  }
  return at
}
