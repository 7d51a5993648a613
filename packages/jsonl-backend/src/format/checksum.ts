import { crc32 } from 'node:zlib'

/** Eight lower-case hexadecimal digits; a capital would be a second spelling that a flipped bit can produce. */
export function toHex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}

/** Where the checksums of a session's lines start from, so that a line of another session never fits. */
export function sessionSeed(incarnation: string): number {
  return crc32(`${incarnation} `)
}

/** CRC-32 of the text `<incarnation> <seq> ` followed by `bytes`: a line fits in one place only. */
export function lineChecksum(seed: number, seq: number, bytes: Uint8Array): number {
  return crc32(bytes, continueWithSeq(seed, seq))
}

/** CRC-32 by bytes, least significant bit first. */
const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

/** `crc32(`${seq} `, checksum)` without a string and a call into zlib, which take ten times as long for a few digits. */
function continueWithSeq(checksum: number, seq: number): number {
  let scale = 1
  while (scale * 10 <= seq) scale *= 10
  let sum = ~checksum
  for (let rest = seq; scale >= 1; scale /= 10) {
    const digit = Math.floor(rest / scale)
    rest -= digit * scale
    sum = addByte(sum, 0x30 + digit)
  }
  return ~addByte(sum, 0x20) >>> 0
}

function addByte(sum: number, byte: number): number {
  return (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0)
}

/**
 * Which bit of `length` bytes was flipped, counted from the lowest bit of the first byte, if their checksum differs in
 * these bits from what it was; `undefined` if a single bit cannot have done that. Two bits never make the same difference.
 */
export function flippedBit(difference: number, length: number): number | undefined {
  const differences = Int32Array.from({ length: 8 }, (_, bit) => TABLE[1 << bit] ?? 0)
  for (let at = length - 1; at >= 0; at--) {
    const bit = differences.indexOf(difference | 0)
    if (bit !== -1) return 8 * at + bit
    for (let index = 0; index < 8; index++) differences[index] = addByte(differences[index] ?? 0, 0)
  }
  return undefined
}

export function checksum(bytes: Uint8Array | string): number {
  return crc32(bytes)
}
