import type { OpenFile } from '../file-system/file-system.ts'
import { lineChecksum } from '../format/checksum.ts'
import { flipBack, turnBits } from './flip-back.ts'
import type { LineReader, ReadableLine } from './repair-lines.ts'
import { readAnyLine, readWholeLine } from './repair-lines.ts'
import type { RawLine } from './scan-lines.ts'
import { scanLines } from './scan-lines.ts'

/** Where the event lines of a file are. */
export interface LinesStart {
  readonly offset: number
  /** Counted from 1. */
  readonly line: number
  /** Seq of the first of them. */
  readonly base: number
}

/** One line of a damaged file. */
export interface SalvagedLine {
  readonly line: number
  /** `undefined` if it is lost. */
  readonly read: ReadableLine | undefined
  /** What was wrong with it, if it can be read all the same. */
  readonly was?: 'without checksum' | 'flipped' | 'without end'
  readonly bytes: number
  readonly isTerminated: boolean
  /** There are NULs in it, as in sectors that were never written. */
  readonly isUnwritten: boolean
}

/** Lines of one file in which a flipped bit is looked for in vain: one with more of them has another damage. */
const MAX_VAIN_FLIPS = 64
const LINE_END = '"}}'
const OPENING_BRACE = 0x7b

interface Damaged {
  readonly bytes: Buffer
  readonly line: number
}

/** The event lines of a file, also those that can only be read with one bit turned back, a newline or any other. */
export async function* salvageLines(
  file: OpenFile,
  start: LinesStart,
  reader: LineReader,
): AsyncGenerator<SalvagedLine> {
  const salvage = new Salvage(start, reader)
  for await (const raw of scanLines(file, start.offset, file.stat().size)) yield* salvage.take(raw)
  yield* salvage.end()
}

class Salvage {
  readonly #reader: LineReader
  #line: number
  #last: number
  /** What the next line holds, if every damaged one held an event. */
  #next: number
  #vainFlips = 0
  /** A damaged line that may go on in the next one, if a newline came into it. */
  #broken: Damaged | undefined

  constructor({ line, base }: LinesStart, reader: LineReader) {
    this.#reader = reader
    this.#line = line - 1
    this.#last = base - 1
    this.#next = base
  }

  *take({ buffer, start, end, isTerminated }: RawLine): Generator<SalvagedLine> {
    this.#line++
    const bytes = buffer.subarray(start, end)
    const expected = { from: this.#last + 1, to: this.#next }
    const read = isTerminated ? readAnyLine(bytes, this.#reader, expected) : undefined
    const broken = this.#broken
    this.#broken = undefined
    if (broken !== undefined) {
      const joined = read === undefined && isTerminated ? join(broken.bytes, bytes, this.#reader.seed) : undefined
      if (joined !== undefined) {
        yield this.#found(joined, { bytes, line: broken.line }, 'flipped')
        return
      }
      yield lost(broken, true)
    }
    const place = { bytes, line: this.#line }
    if (read !== undefined) yield this.#found(read, place, read.bytes === undefined ? 'without checksum' : undefined)
    else yield* this.#repair(place, isTerminated)
  }

  *end(): Generator<SalvagedLine> {
    if (this.#broken !== undefined) yield lost(this.#broken, true)
  }

  /** Takes a line that cannot be read as it is. */
  *#repair(damaged: Damaged, isTerminated: boolean): Generator<SalvagedLine> {
    const { seed } = this.#reader
    const { lines, rest } = split(damaged.bytes, seed)
    for (const one of lines) yield this.#found(one, damaged, 'without end', isTerminated)
    if (lines.length > 0 && rest.length === 0) return
    const left = { bytes: rest, line: damaged.line }
    if (!isTerminated) {
      yield lost(left, false)
      return
    }
    const next = this.#next
    const secured = { endBytes: LINE_END.length, checksum: (covered: Buffer) => lineChecksum(seed, next, covered) }
    const isHopeless = this.#vainFlips === MAX_VAIN_FLIPS
    const flipped = isHopeless ? undefined : flipBack(rest, secured, (tried) => readWholeLine(tried, seed))
    if (flipped !== undefined) {
      yield this.#found(flipped, damaged, 'flipped')
      return
    }
    if (!isHopeless) this.#vainFlips++
    this.#next++
    this.#broken = left
  }

  #found(read: ReadableLine, { bytes, line }: Damaged, was: SalvagedLine['was'], isTerminated = true): SalvagedLine {
    this.#last = Math.max(this.#last, read.seq)
    this.#next = this.#last + 1
    const found = { line, read, bytes: bytes.length, isTerminated, isUnwritten: false }
    return was === undefined ? found : { ...found, was }
  }
}

function lost({ bytes, line }: Damaged, isTerminated: boolean): SalvagedLine {
  return { line, read: undefined, bytes: bytes.length, isTerminated, isUnwritten: bytes.includes(0) }
}

/** Two lines that were one before a bit of it made a newline. */
function join(before: Buffer, after: Buffer, seed: number): ReadableLine | undefined {
  const whole = Buffer.concat([before, Buffer.from('\n'), after])
  return turnBits(whole, before.length, before.length + 1, (tried) => readWholeLine(tried, seed))
}

/** Whole lines at the beginning of `bytes` whose newline became another byte, or was never written. */
function split(bytes: Buffer, seed: number): { readonly lines: readonly ReadableLine[]; readonly rest: Buffer } {
  const lines: ReadableLine[] = []
  let start = 0
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) {
    const end = at + LINE_END.length
    if (end + 1 < bytes.length && bytes[end + 1] !== OPENING_BRACE) continue
    const read = readWholeLine(bytes.subarray(start, end), seed)
    if (read === undefined) continue
    lines.push(read)
    start = Math.min(end + 1, bytes.length)
  }
  return { lines, rest: bytes.subarray(start) }
}
