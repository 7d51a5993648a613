import { flippedBit } from '../format/checksum.ts'

/** Bytes in which a flipped bit is looked for: the more there are, the likelier one fits other damage by chance. */
const MAX_BYTES = 32 * 1024
const CHECKSUM_DIGITS = 8

/** How a line is secured. */
export interface Secured {
  /** Bytes after the digits of its checksum. */
  readonly endBytes: number
  /** The checksum of what lies in front of the digits. */
  readonly checksum: (covered: Buffer) => number
}

/**
 * Gives what `read` makes of `line` with one bit turned back. If one bit is wrong, there is only one that fits the
 * checksum, so this is how the line was. It is as before afterwards, and `read` must keep nothing of it.
 */
export function flipBack<T>(
  line: Buffer,
  { endBytes, checksum }: Secured,
  read: (line: Buffer) => T | undefined,
): T | undefined {
  const digits = line.length - endBytes - CHECKSUM_DIGITS
  if (digits <= 0 || line.length > MAX_BYTES) return undefined
  const stored = Number.parseInt(line.toString('latin1', digits, digits + CHECKSUM_DIGITS), 16)
  const bit = flippedBit(stored ^ checksum(line.subarray(0, digits)), digits)
  if (bit !== undefined) return turnBits(line, bit >> 3, (bit >> 3) + 1, read)
  return turnBits(line, digits, line.length, read)
}

/** Turns one bit after the other in the bytes from `from` to `to`, and gives what `read` makes of the first that fits. */
export function turnBits<T>(
  bytes: Buffer,
  from: number,
  to: number,
  read: (bytes: Buffer) => T | undefined,
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
