/** CRC-32C (Castagnoli), which LevelDB uses and Node does not have. Sixteen tables, sixteen bytes per step. */
const POLYNOMIAL = 0x82f63b78
const STEP = 16

const TABLES: Int32Array = makeTables()

function makeTables(): Int32Array {
  const tables = new Int32Array(STEP * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL
    tables[byte] = crc
  }
  for (let index = 256; index < tables.length; index++) {
    const crc = tables[index - 256] as number
    tables[index] = (crc >>> 8) ^ (tables[crc & 0xff] as number)
  }
  return tables
}

export function crc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let crc = -1
  let index = start
  for (const last = end - STEP; index <= last; index += STEP) {
    crc =
      fold(crc ^ view.getInt32(index, true), 15 * 256) ^
      fold(view.getInt32(index + 4, true), 11 * 256) ^
      fold(view.getInt32(index + 8, true), 7 * 256) ^
      fold(view.getInt32(index + 12, true), 3 * 256)
  }
  for (; index < end; index++) crc = entry((crc ^ (bytes[index] as number)) & 0xff) ^ (crc >>> 8)
  return (crc ^ -1) >>> 0
}

/** Four bytes, of which the first is looked up in the table that begins at `table` and the others in those before it. */
function fold(word: number, table: number): number {
  return (
    entry(table + (word & 0xff)) ^
    entry(table - 256 + ((word >>> 8) & 0xff)) ^
    entry(table - 512 + ((word >>> 16) & 0xff)) ^
    entry(table - 768 + (word >>> 24))
  )
}

function entry(index: number): number {
  return TABLES[index] as number // within by construction
}

/** LevelDB stores checksums rotated and shifted, so that a checksum of data that holds checksums is no special case. */
export function unmask(stored: number): number {
  const rotated = (stored - 0xa282ead8) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}

export function mask(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
