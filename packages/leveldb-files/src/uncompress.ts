import { readVarint } from './varint.ts'

/** Fewer bytes are copied one by one as fast as by a call. */
const CALL_BYTES = 64

/** Decompresses a block, or gives `undefined` if it is damaged. */
export function uncompress(bytes: Buffer): Buffer | undefined {
  const length = readVarint(bytes, 0)
  // Nothing in snappy expands further than this, so a damaged length cannot ask for gigabytes.
  if (length === undefined || length.value > bytes.length * 64 + 64) return undefined
  const out = Buffer.allocUnsafe(length.value)
  let at = length.next
  let to = 0
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0
    at++
    let size: number
    let distance = 0
    switch (tag & 3) {
      case 0: {
        size = (tag >>> 2) + 1
        if (size > 60) {
          const extra = size - 60
          if (at + extra > bytes.length) return undefined
          size = bytes.readUIntLE(at, extra) + 1
          at += extra
        }
        if (at + size > bytes.length || to + size > out.length) return undefined
        if (size > CALL_BYTES) {
          bytes.copy(out, to, at, at + size)
          to += size
          at += size
        } else {
          for (const end = at + size; at < end; at++, to++) out[to] = bytes[at] ?? 0
        }
        continue
      }
      case 1:
        size = ((tag >>> 2) & 7) + 4
        distance = ((tag >>> 5) << 8) | (bytes[at] ?? 0)
        at++
        break
      default: {
        const width = (tag & 3) === 2 ? 2 : 4
        if (at + width > bytes.length) return undefined
        size = (tag >>> 2) + 1
        distance = width === 2 ? bytes.readUInt16LE(at) : bytes.readUInt32LE(at)
        at += width
      }
    }
    if (distance === 0 || distance > to || to + size > out.length) return undefined
    for (const end = to + size; to < end; to++) out[to] = out[to - distance] ?? 0
  }
  return to === out.length ? out : undefined
}
