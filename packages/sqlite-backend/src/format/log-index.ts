/** Two copies of the header of SQLite's wal-index, https://sqlite.org/walformat.html#the_wal_index_file_format. */
const HEADER_BYTES = 48
const VERSION = 3007000

export interface LogIndex {
  /** Frames of the log that are committed. */
  readonly frames: number
  readonly salt: string
}

/** @returns `undefined` if no copy is whole; the file is not written to be kept */
export function parseLogIndex(bytes: Buffer | undefined): LogIndex | undefined {
  if (bytes === undefined) return undefined
  for (const start of [0, HEADER_BYTES]) {
    const header = bytes.subarray(start, start + HEADER_BYTES)
    const native = new DataView(header.buffer, header.byteOffset, header.length)
    const isLittle = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1
    const word = (at: number): number => native.getUint32(at, isLittle)
    if (header.length < HEADER_BYTES || word(0) !== VERSION) continue
    let sum0 = 0
    let sum1 = 0
    for (let at = 0; at < HEADER_BYTES - 8; at += 8) {
      sum0 = (sum0 + word(at) + sum1) >>> 0
      sum1 = (sum1 + word(at + 4) + sum0) >>> 0
    }
    if (sum0 !== word(40) || sum1 !== word(44)) continue
    // The salts are copied as they stand in the log.
    return { frames: word(16), salt: header.toString('hex', 32, 40) }
  }
  return undefined
}
