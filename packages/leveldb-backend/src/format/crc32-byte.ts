const POLYNOMIAL = 0xedb88320

const TABLE = new Int32Array(256).map((_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ ((sum & 1) * POLYNOMIAL)
  return sum
})

/** `crc32(Buffer.of(byte), checksum)`: for a few bytes, calling zlib takes ten times as long. */
export function crc32Byte(checksum: number, byte: number): number {
  const sum = ~checksum
  return ~((sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0)) >>> 0
}
