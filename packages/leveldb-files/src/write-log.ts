import { crc32c, mask } from './crc32c.ts'

const BLOCK_BYTES = 32 * 1024
const HEADER_BYTES = 7

/** The bytes of a log file with these records. */
export function encodeLog(records: readonly Buffer[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  const push = (bytes: Buffer): void => {
    parts.push(bytes)
    at += bytes.length
  }
  for (const record of records) {
    let from = 0
    let isFirst = true
    do {
      const left = BLOCK_BYTES - (at % BLOCK_BYTES)
      if (left < HEADER_BYTES) push(Buffer.alloc(left))
      const room = BLOCK_BYTES - (at % BLOCK_BYTES) - HEADER_BYTES
      const to = Math.min(record.length, from + room)
      push(fragment(record.subarray(from, to), fragmentType(isFirst, to === record.length)))
      from = to
      isFirst = false // where only a header fits into a block, the first fragment is empty
    } while (from < record.length)
  }
  return Buffer.concat(parts)
}

function fragmentType(isFirst: boolean, isLast: boolean): number {
  if (isFirst) return isLast ? 1 : 2
  return isLast ? 4 : 3
}

function fragment(bytes: Buffer, type: number): Buffer {
  const out = Buffer.allocUnsafe(HEADER_BYTES + bytes.length)
  out.writeUInt16LE(bytes.length, 4)
  out[6] = type
  bytes.copy(out, HEADER_BYTES)
  out.writeUInt32LE(mask(crc32c(out, 6)), 0)
  return out
}
