/**
 * Turns one bit of `bytes` after the other, and gives what `read` makes of the first turn that it accepts. A checksum
 * of 32 bits is right for one turn at most if one bit is wrong. The more bits there are to turn, the likelier one of
 * them fits other damage by chance: it is for a few thousand bytes. `bytes` are as they were afterwards, and `read`
 * must keep nothing of them.
 */
export function flipBack<T>(
  bytes: Buffer,
  read: (bytes: Buffer) => T | undefined,
  { from = 0, to = bytes.length }: { readonly from?: number; readonly to?: number } = {},
): T | undefined {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    try {
      for (let bit = 1; bit < 256; bit <<= 1) {
        bytes[at] = byte ^ bit
        const found = read(bytes)
        if (found !== undefined) return found
      }
    } finally {
      bytes[at] = byte
    }
  }
  return undefined
}
