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
  return crc32(bytes, crc32(`${seq} `, seed))
}

export function checksum(bytes: Uint8Array | string): number {
  return crc32(bytes)
}
