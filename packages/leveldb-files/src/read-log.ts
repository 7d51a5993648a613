import { crc32c, unmask } from './crc32c.ts'
import { batchBytes } from './write-batch.ts'

/** LevelDB's log format, which its MANIFEST uses as well: records in fragments that never cross a 32 KiB block. */
const BLOCK_BYTES = 32 * 1024
const HEADER_BYTES = 7
const FULL = 1
const FIRST = 2
const MIDDLE = 3
const LAST = 4

/** One record, in the fragments in which it lies in the file: most readers need only its end. */
export class LogRecord {
  /** Where it begins in the file. */
  readonly offset: number
  readonly #fragments: readonly Buffer[]

  constructor(offset: number, fragments: readonly Buffer[]) {
    this.offset = offset
    this.#fragments = fragments
  }

  get bytes(): Buffer {
    return this.#fragments.length === 1 ? (this.#fragments[0] as Buffer) : Buffer.concat(this.#fragments)
  }

  /** The last `length` bytes, or all if it has no more. */
  end(length: number): Buffer {
    const last = this.#fragments.at(-1) as Buffer
    return last.length >= length ? last.subarray(-length) : this.bytes.subarray(-length)
  }
}

/** What a record of so many bytes takes in a log, at most: wherever it begins, it may have to leave a block first. */
export function logBytes(record: number): number {
  const fragments = Math.ceil(record / (BLOCK_BYTES - HEADER_BYTES)) + 1
  return record + fragments * HEADER_BYTES + HEADER_BYTES
}

export interface LogContents {
  readonly records: readonly LogRecord[]
  /** Where the whole records end. */
  readonly end: number
  /**
   * What follows them. `nothing`: the end, or zeros that were to be written over. `torn`: a write that was cut short,
   * nothing complete comes after it. `damaged`: complete records come after it, so it was complete once.
   */
  readonly rest: 'nothing' | 'torn' | 'damaged'
  /** Where complete records go on if it is `damaged`. */
  readonly next: number | undefined
}

interface Fragment {
  readonly type: number
  readonly start: number
  readonly end: number
}

export function parseLog(bytes: Buffer, start = 0): LogContents {
  const records: LogRecord[] = []
  let at = start
  let end = start
  let parts: Buffer[] | undefined
  let offset = 0
  for (;;) {
    at = skipTrailer(at)
    if (at >= bytes.length) return { records, end, rest: parts === undefined ? 'nothing' : 'torn', next: undefined }
    const fragment = readFragment(bytes, at)
    if (fragment === undefined && parts === undefined && isZero(bytes, at)) {
      return { records, end, rest: 'nothing', next: undefined }
    }
    const isExpected = fragment !== undefined && (parts === undefined) === fragment.type <= FIRST
    if (!isExpected) {
      const next = nextRecord(bytes, at, parts ?? [])
      return { records, end, rest: next === undefined ? 'torn' : 'damaged', next }
    }
    const part = bytes.subarray(fragment.start, fragment.end)
    if (parts === undefined) offset = at
    if (fragment.type === FIRST || fragment.type === MIDDLE) {
      if (parts === undefined) parts = [part]
      else parts.push(part)
    } else {
      records.push(new LogRecord(offset, parts === undefined ? [part] : [...parts, part]))
      parts = undefined
      end = fragment.end
    }
    at = fragment.end
  }
}

const ZEROS = Buffer.alloc(64 * 1024)

function isZero(bytes: Buffer, start: number): boolean {
  for (let at = start; at < bytes.length; at += ZEROS.length) {
    const chunk = bytes.subarray(at, at + ZEROS.length)
    if (!chunk.equals(ZEROS.subarray(0, chunk.length))) return false
  }
  return true
}

/** The last bytes of a block are left empty if no header fits into them. */
function skipTrailer(at: number): number {
  const left = BLOCK_BYTES - (at % BLOCK_BYTES)
  return left < HEADER_BYTES ? at + left : at
}

function readFragment(bytes: Buffer, at: number): Fragment | undefined {
  const start = at + HEADER_BYTES
  if (start > bytes.length) return undefined
  const length = bytes.readUInt16LE(at + 4)
  const type = bytes[at + 6] ?? 0
  const end = start + length
  if (type < FULL || type > LAST || end > bytes.length) return undefined
  if (Math.floor(at / BLOCK_BYTES) !== Math.floor((end - 1) / BLOCK_BYTES)) return undefined
  return crc32c(bytes, at + 6, end) === unmask(bytes.readUInt32LE(at)) ? { type, start, end } : undefined
}

/**
 * Where a record begins behind a bad place, which is a header and what belongs to it. `parts` are what the record has
 * before it. Later fragments of the same record do not count: a large write that a power failure cut short can have
 * reached the disk in any order.
 *
 * Only where LevelDB itself puts a header is looked for one. Checksums have no key, so a message can hold the bytes of
 * a record: whoever tried every byte would take them for one.
 */
function nextRecord(bytes: Buffer, bad: number, parts: readonly Buffer[]): number | undefined {
  let before = parts
  for (let at = bad; at < bytes.length;) {
    const fragment = readFragment(bytes, at)
    if (fragment !== undefined && fragment.type <= FIRST) return at
    at = skipTrailer(fragment?.end ?? endBehind(bytes, at, before))
    before = []
  }
  return undefined
}

/**
 * Where a bad fragment ends. Its length says so, and so does what is in the batch, and most likely only one of them is
 * damaged: then the other one leads to headers up to the end of the block. If neither does, the next block begins with
 * a header.
 */
function endBehind(bytes: Buffer, at: number, parts: readonly Buffer[]): number {
  const block = blockEnd(at)
  const start = at + HEADER_BYTES
  if (start > bytes.length) return block
  const before = parts.reduce((sum, part) => sum + part.length, 0)
  const batch = batchBytes(Buffer.concat([...parts, bytes.subarray(start, block)]))
  const type = bytes[at + 6] ?? 0
  const length = type >= FULL && type <= LAST ? bytes.readUInt16LE(at + 4) : Infinity
  const limit = Math.min(block, bytes.length)
  const possible = [start + length, start + (batch ?? Infinity) - before].filter((end) => end > at && end <= limit)
  if (possible.length === 2 && possible[0] === possible[1]) return possible[0] ?? block
  return (
    possible.find((end) => leadsToEnd(bytes, end)) ??
    possible.find((end) => readFragment(bytes, skipTrailer(end)) !== undefined) ??
    block
  )
}

function leadsToEnd(bytes: Buffer, start: number): boolean {
  const end = Math.min(blockEnd(start - 1), bytes.length)
  for (let at = skipTrailer(start); at < end;) {
    const fragment = readFragment(bytes, at)
    if (fragment === undefined) return isZero(bytes.subarray(0, end), at)
    at = skipTrailer(fragment.end)
  }
  return true
}

function blockEnd(at: number): number {
  return at - (at % BLOCK_BYTES) + BLOCK_BYTES
}

/**
 * The first record at every place where one could begin, each byte tried: not to be trusted where somebody may have made
 * the bytes up. The type byte sorts nearly all places out.
 */
export function* recordsAnywhere(bytes: Buffer, start: number): Generator<LogRecord> {
  for (let at = start; at + HEADER_BYTES <= bytes.length; at++) {
    const type = bytes[at + 6]
    if ((type !== FULL && type !== FIRST) || readFragment(bytes, at) === undefined) continue
    const [record] = parseLog(bytes, at).records
    if (record !== undefined) yield record
  }
}
