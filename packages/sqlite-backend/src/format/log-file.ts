/** SQLite's write-ahead log, https://sqlite.org/fileformat2.html#walformat. */
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const LITTLE_ENDIAN_SUMS = 0x377f0682
const BIG_ENDIAN_SUMS = 0x377f0683

type Sums = readonly [number, number]

export interface LogFrame {
  readonly page: number
  /** Of its page in the file. */
  readonly position: number
  /** The last one of a transaction. */
  readonly isCommit: boolean
}

export interface InspectedLog {
  readonly isHeaderValid: boolean
  readonly salt: string
  readonly pageBytes: number
  /** From the beginning on, as long as their checksums are right. */
  readonly frames: readonly LogFrame[]
  /** Of the frames, those that belong to whole transactions. */
  readonly committed: number
  /** Transactions that were whole when they were written and stand behind a damaged frame, the one it lies in not counted. */
  readonly laterCommits: number
  /** Whether anything of this log stands behind the committed frames. */
  readonly hasMore: boolean
}

/** @param bytes the whole file */
export function inspectLogBytes(bytes: Buffer): InspectedLog {
  const magic = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt32BE(0)
  const isBigEndian = magic === BIG_ENDIAN_SUMS
  const headerSums = sumsOf(bytes.subarray(0, HEADER_BYTES - 8), [0, 0], isBigEndian)
  const isHeaderValid = (isBigEndian || magic === LITTLE_ENDIAN_SUMS) && isSame(headerSums, storedSums(bytes, 24))
  // A frame has the salts as well, so that a log with a damaged header is still known.
  const saltAt = isHeaderValid ? 16 : HEADER_BYTES + 8
  const salt = bytes.length < saltAt + 8 ? '' : bytes.toString('hex', saltAt, saltAt + 8)
  if (!isHeaderValid) {
    return { isHeaderValid, salt, pageBytes: 0, frames: [], committed: 0, laterCommits: 0, hasMore: bytes.length > 0 }
  }
  const pageBytes = bytes.readUInt32BE(8)
  const walk = new FrameWalk(bytes, pageBytes, salt, isBigEndian)
  const frames = walk.validFrom(0, headerSums)
  const committed = frames.findLastIndex(({ isCommit }) => isCommit) + 1
  // The damaged frame still says what its checksum was, so that the ones behind it can be checked.
  const later = walk.validFrom(frames.length + 1, walk.storedSums(frames.length))
  const commits = later.filter(({ isCommit }) => isCommit).length
  const isEnd = walk.isCommit(frames.length)
  return {
    isHeaderValid,
    salt,
    pageBytes,
    frames,
    committed,
    laterCommits: isEnd ? commits : Math.max(0, commits - 1),
    hasMore: walk.isOfThisLog(committed),
  }
}

class FrameWalk {
  readonly #bytes: Buffer
  readonly #pageBytes: number
  readonly #salt: string
  readonly #isBigEndian: boolean

  constructor(bytes: Buffer, pageBytes: number, salt: string, isBigEndian: boolean) {
    this.#bytes = bytes
    this.#pageBytes = pageBytes
    this.#salt = salt
    this.#isBigEndian = isBigEndian
  }

  validFrom(index: number, before: Sums | undefined): LogFrame[] {
    const frames: LogFrame[] = []
    let sums = before
    for (let next = index; sums !== undefined && this.isOfThisLog(next); next++) {
      const at = this.#at(next)
      const end = at + FRAME_HEADER_BYTES + this.#pageBytes
      const head = sumsOf(this.#bytes.subarray(at, at + 8), sums, this.#isBigEndian)
      const own = sumsOf(this.#bytes.subarray(at + FRAME_HEADER_BYTES, end), head, this.#isBigEndian)
      if (!isSame(own, storedSums(this.#bytes, at + 16))) break
      sums = own
      frames.push({
        page: this.#bytes.readUInt32BE(at),
        position: at + FRAME_HEADER_BYTES,
        isCommit: this.isCommit(next),
      })
    }
    return frames
  }

  isCommit(index: number): boolean {
    return this.#isThere(index) && this.#bytes.readUInt32BE(this.#at(index) + 4) !== 0
  }

  isOfThisLog(index: number): boolean {
    const at = this.#at(index)
    return this.#isThere(index) && this.#bytes.toString('hex', at + 8, at + 16) === this.#salt
  }

  storedSums(index: number): Sums | undefined {
    return this.#isThere(index) ? storedSums(this.#bytes, this.#at(index) + 16) : undefined
  }

  #at(index: number): number {
    return HEADER_BYTES + index * (FRAME_HEADER_BYTES + this.#pageBytes)
  }

  #isThere(index: number): boolean {
    return this.#at(index + 1) <= this.#bytes.length
  }
}

function sumsOf(bytes: Buffer, [before0, before1]: Sums, isBigEndian: boolean): Sums {
  let sum0 = before0
  let sum1 = before1
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const one = isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    const two = isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)
    sum0 = (sum0 + one + sum1) >>> 0
    sum1 = (sum1 + two + sum0) >>> 0
  }
  return [sum0, sum1]
}

function storedSums(bytes: Buffer, at: number): Sums {
  return bytes.length < at + 8 ? [0, 0] : [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
}

function isSame(one: Sums, other: Sums): boolean {
  return one[0] === other[0] && one[1] === other[1]
}
