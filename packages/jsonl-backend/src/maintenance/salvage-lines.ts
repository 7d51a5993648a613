import type { OpenFile } from '../file-system/file-system.ts'
import { lineChecksum } from '../format/checksum.ts'
import { flipBack } from './flip-back.ts'
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

/** A line that can be read, and what was wrong with it; without `read` it is lost. */
interface Salvaged {
  readonly read?: ReadableLine
  readonly was?: 'without checksum' | 'flipped' | 'without end'
}

/** One line of a damaged file. */
export interface SalvagedLine extends Salvaged {
  readonly line: number
  readonly bytes: number
  readonly isTerminated: boolean
}

/** Lines of one file in which a flipped bit is looked for in vain: one with more of them has another damage. */
const MAX_VAIN_FLIPS = 64
const LINE_END = '"}}'
const OPENING_BRACE = 0x7b

/** The event lines of a file, also those that can only be read with one bit turned back, a newline or any other. */
export async function* salvageLines(
  file: OpenFile,
  { offset, line: firstLine, base }: LinesStart,
  reader: LineReader,
): AsyncGenerator<SalvagedLine> {
  let line = firstLine
  let last = base - 1
  /** What the next line holds, if every damaged one held an event. */
  let next = base
  let vainFlips = 0
  for await (const { buffer, start, end, isTerminated } of scanLines(file, offset, file.stat().size)) {
    const bytes = buffer.subarray(start, end)
    const read = isTerminated ? readAnyLine(bytes, reader, { from: last + 1, to: next }) : undefined
    const isFlippable = isTerminated && vainFlips < MAX_VAIN_FLIPS
    const found = read === undefined ? mend(bytes, reader.seed, next, isFlippable) : [asItIs(read)]
    for (const salvaged of found) {
      if (salvaged.read === undefined) {
        vainFlips++
        next++
      } else {
        last = Math.max(last, salvaged.read.seq)
        next = last + 1
      }
      yield { ...salvaged, line, bytes: bytes.length, isTerminated: isTerminated || salvaged.read !== undefined }
    }
    line++
  }
}

function asItIs(read: ReadableLine): Salvaged {
  return read.bytes === undefined ? { read, was: 'without checksum' } : { read }
}

/** What is in a line that cannot be read as it is. */
function mend(bytes: Buffer, seed: number, expected: number, isFlippable: boolean): readonly Salvaged[] {
  const { lines, rest } = split(bytes, seed)
  const found = lines.map((read): Salvaged => ({ read, was: 'without end' }))
  const last = lines.at(-1)
  if (last !== undefined && rest.length === 0) return found
  const seq = last === undefined ? expected : last.seq + 1
  const checksum = (covered: Buffer): number => lineChecksum(seed, seq, covered)
  const read = isFlippable
    ? flipBack(rest, LINE_END.length, checksum, (tried) => readWholeLine(tried, seed))
    : undefined
  return [...found, read === undefined ? {} : { read, was: 'flipped' }]
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
