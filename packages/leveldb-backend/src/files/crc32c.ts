/** CRC-32C (Castagnoli), which LevelDB uses and Node does not have. Eight tables, eight bytes per step. */
const POLYNOMIAL = 0x82f63b78

const TABLES: readonly Int32Array[] = makeTables()

function makeTables(): readonly Int32Array[] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL
    return crc
  })
  const tables = [first]
  while (tables.length < 8) {
    tables.push((tables.at(-1) ?? first).map((crc) => (crc >>> 8) ^ (first[crc & 0xff] ?? 0)))
  }
  return tables
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as unknown as readonly [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
]

export function crc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  // The casts are for speed: indices are within the tables and the bytes by construction.
  let crc = -1
  let at = start
  for (const last = end - 7; at < last; at += 8) {
    const low =
      crc ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24))
    crc =
      (T7[low & 0xff] as number) ^
      (T6[(low >>> 8) & 0xff] as number) ^
      (T5[(low >>> 16) & 0xff] as number) ^
      (T4[low >>> 24] as number) ^
      (T3[bytes[at + 4] as number] as number) ^
      (T2[bytes[at + 5] as number] as number) ^
      (T1[bytes[at + 6] as number] as number) ^
      (T0[bytes[at + 7] as number] as number)
  }
  for (; at < end; at += 1) crc = (T0[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8)
  return (crc ^ -1) >>> 0
}

/** LevelDB stores checksums rotated and shifted, so that a checksum of data that holds checksums is no special case. */
export function unmask(stored: number): number {
  const rotated = (stored - 0xa282ead8) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}

export function mask(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
