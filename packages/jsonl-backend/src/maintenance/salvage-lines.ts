import type { OpenFile } from '../file-system/file-system.ts'
import { lineChecksum } from '../format/checksum.ts'
import { flipBack, turnBits } from './flip-back.ts'
import type { LineReader, ReadableLine } from './repair-lines.ts'
import { readAnyLine, readWholeLine } from './repair-lines.ts'
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
  const { seed } = reader
  let line = start.line - 1
  let last = start.base - 1
  /** What the next line holds, if every damaged one held an event. */
  let next = start.base
  let vainFlips = 0
  /** A damaged line that may go on in the next one, if a newline came into it. */
  let broken: Damaged | undefined
  for await (const raw of scanLines(file, start.offset, file.stat().size)) {
    line++
    const { isTerminated } = raw
    const bytes = raw.buffer.subarray(raw.start, raw.end)
    const tell = (read: ReadableLine, at: number, was: NonNullable<SalvagedLine['was']> | undefined): SalvagedLine => {
      last = Math.max(last, read.seq)
      next = last + 1
      const place = { line: at, bytes: bytes.length, isTerminated, isUnwritten: false }
      return { ...place, read, ...(was === undefined ? {} : { was }) }
    }
    const read = isTerminated ? readAnyLine(bytes, reader, { from: last + 1, to: next }) : undefined
    const joined: ReadableLine | undefined =
      read === undefined && isTerminated && broken !== undefined ? join(broken.bytes, bytes, seed) : undefined
    if (joined !== undefined && broken !== undefined) {
      yield tell(joined, broken.line, 'flipped')
      broken = undefined
      continue
    }
    if (broken !== undefined) {
      yield lost(broken, true)
      broken = undefined
    }
    if (read !== undefined) {
      yield tell(read, line, read.bytes === undefined ? 'without checksum' : undefined)
      continue
    }
    const { lines, rest } = split(bytes, seed)
    for (const one of lines) yield tell(one, line, 'without end')
    if (lines.length > 0 && rest.length === 0) continue
    if (!isTerminated) {
      yield lost({ bytes: rest, line }, isTerminated)
      return
    }
    const secured = { endBytes: LINE_END.length, checksum: (covered: Buffer) => lineChecksum(seed, next, covered) }
    const flipped =
      vainFlips < MAX_VAIN_FLIPS ? flipBack(rest, secured, (tried) => readWholeLine(tried, seed)) : undefined
    if (flipped !== undefined) {
      yield tell(flipped, line, 'flipped')
      continue
    }
    vainFlips++
    next++
    broken = { bytes: rest, line }
  }
  if (broken !== undefined) yield lost(broken, true)
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
