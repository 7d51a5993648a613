import { flippedBit } from '../format/checksum.ts'

/** Bytes in which a flipped bit is looked for: the more there are, the likelier one fits other damage by chance. */
const MAX_BYTES = 32 * 1024
const CHECKSUM_DIGITS = 8

/**
 * Gives what `read` makes of `line` with one bit turned back. If one bit is wrong, there is only one that fits the
 * checksum, so this is how the line was. It is as before afterwards, and `read` must keep nothing of it.
 *
 * @param endBytes Bytes after the digits of the checksum.
 * @param checksum The checksum of what lies in front of the digits.
 */
export function flipBack<T>(
  line: Buffer,
  endBytes: number,
  checksum: (covered: Buffer) => number,
  read: (line: Buffer) => T | undefined,
): T | undefined {
  const digits = line.length - endBytes - CHECKSUM_DIGITS
  if (digits <= 0 || line.length > MAX_BYTES) return undefined
  const stored = Number.parseInt(line.toString('latin1', digits, digits + CHECKSUM_DIGITS), 16)
  const wrong = flippedBit(stored ^ checksum(line.subarray(0, digits)), digits)
  // If the covered bytes are right, it is a bit of the few others.
  const [from, to] = wrong === undefined ? [8 * digits, 8 * line.length] : [wrong, wrong + 1]
  for (let bit = from; bit < to; bit++) {
    const byte = line[bit >> 3] ?? 0
    line[bit >> 3] = byte ^ (1 << (bit & 7))
    try {
      const found = read(line)
      if (found !== undefined) return found
    } finally {
      line[bit >> 3] = byte
    }
  }
  return undefined
}
