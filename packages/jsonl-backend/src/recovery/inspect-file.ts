import type { OpenFile } from '../file-system/file-system.ts'
import { readFully } from '../file-system/write-all.ts'
import { sessionSeed } from '../format/checksum.ts'
import { corrupt, WRONG_CHECKSUM } from '../format/corrupt.ts'
import { encodeFileName } from '../format/file-name.ts'
import type { Header } from '../format/header.ts'
import { parseHeader } from '../format/header.ts'
import type { BatchEnd } from '../format/line.ts'
import { frameLine, hasValidChecksum, parseBatchEnd } from '../format/line.ts'
import type { Committed } from '../format/committed.ts'
import { lineOf } from '../format/committed.ts'

/** What the beginning and the end of a file show. */
export interface Inspection {
  /** `undefined`: there is no whole batch in the file. */
  readonly committed: Committed | undefined
  readonly header: Header
  /** Bytes of an unfinished batch at the end. */
  readonly tornBytes: number
}

/** Enough for the last batch of most sessions; doubled until the last batch is in it. */
const WINDOW_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * Reads the header and the last batch, and nothing in between. Only an unfinished final batch is tolerated: one whose
 * last line is missing, or with sectors that were never written and therefore read as NUL, which JSON text never has.
 *
 * @param given The header, if it is known and need not be readable.
 * @throws `CORRUPT` with file and line, `UNSUPPORTED` if a newer release wrote the file
 */
export async function inspectFile(file: OpenFile, path: string, name: string, given?: FileStart): Promise<Inspection> {
  const { size } = file.stat()
  for (let windowBytes = WINDOW_BYTES; ; windowBytes *= 2) {
    const from = Math.max(0, size - windowBytes)
    const window = await readFully(file, from, size - from)
    const start = given ?? (await readStart(file, path, from === 0 ? window : undefined))
    if (encodeFileName(start.header.session) !== name) {
      throw corrupt(
        `the header says that this is session ${JSON.stringify(start.header.session)}, whose file has another name`,
        {
          file: path,
          line: 1,
        },
      )
    }
    const found = findLastBatch(window, from, start)
    if (found === 'more') continue
    return judgeTail(window, from, start, found, path)
  }
}

export interface FileStart {
  readonly header: Header
  readonly dataStart: number
}

async function readStart(file: OpenFile, path: string, whole: Buffer | undefined): Promise<FileStart> {
  for (let length = 4096; ; length *= 4) {
    const buffer = whole ?? (await readFully(file, 0, length))
    const end = buffer.indexOf(NEWLINE)
    if (end === -1 && whole === undefined && buffer.length === length) continue
    const header = end === -1 ? undefined : parseHeader(buffer.subarray(0, end), path)
    if (header === undefined) throw corrupt('this is not the first line of a session file', { file: path, line: 1 })
    return { header, dataStart: end + 1 }
  }
}

interface FoundBatch {
  readonly end: BatchEnd
  readonly lineStart: number
  /** Position after the newline of its last line, in the window. */
  readonly position: number
}

/** The last whole batch in the window; `'more'` if it may begin in front of it. */
function findLastBatch(
  window: Buffer,
  from: number,
  { header, dataStart }: FileStart,
): FoundBatch | undefined | 'more' {
  const reachesStart = from <= dataStart
  const lower = reachesStart ? dataStart - from : window.indexOf(NEWLINE) + 1
  if (!reachesStart && lower === 0) return 'more'
  const seed = sessionSeed(header.incarnation)
  let end = window.lastIndexOf(NEWLINE)
  while (end >= lower) {
    const start = Math.max(lower, end === 0 ? 0 : window.lastIndexOf(NEWLINE, end - 1) + 1)
    const frame = frameLine(window, start, end)
    const batchEnd = frame === undefined ? undefined : parseBatchEnd(window, frame)
    if (frame !== undefined && batchEnd !== undefined && hasValidChecksum(window, frame, seed, batchEnd.last)) {
      const whole = isWholeBatch(window, lower, start, batchEnd, seed, header.base)
      if (whole === true) return { end: batchEnd, lineStart: start, position: end + 1 }
      if (whole === 'unknown' && !reachesStart) return 'more'
    }
    end = start - 1
  }
  return reachesStart ? undefined : 'more'
}

/** Whether the lines in front of the last one are there too: sectors of one write may reach the disk in any order. */
function isWholeBatch(
  window: Buffer,
  lower: number,
  lastStart: number,
  batchEnd: BatchEnd,
  seed: number,
  base: number,
): boolean | 'unknown' {
  const lines = Math.min(batchEnd.lines, batchEnd.last - base + 1)
  let next = lastStart
  for (let more = 1; more < lines; more++) {
    if (next <= lower) return 'unknown'
    const end = next - 1
    const start = Math.max(lower, end === 0 ? 0 : window.lastIndexOf(NEWLINE, end - 1) + 1)
    const frame = frameLine(window, start, end)
    if (frame?.more !== more || !hasValidChecksum(window, frame, seed, batchEnd.last - more)) return false
    next = start
  }
  return true
}

function judgeTail(
  window: Buffer,
  from: number,
  { header, dataStart }: FileStart,
  found: FoundBatch | undefined,
  path: string,
): Inspection {
  const tailStart = found?.position ?? dataStart - from
  const last = found?.end.last ?? header.base - 1
  // In front of the first sector that was never written, every line of an unfinished batch is as it was written.
  const hole = window.indexOf(0, tailStart)
  const written = hole === -1 ? window : window.subarray(0, hole)
  const seed = sessionSeed(header.incarnation)
  let seq = last + 1
  for (let start = tailStart, end; (end = written.indexOf(NEWLINE, start)) !== -1; start = end + 1, seq++) {
    const frame = frameLine(window, start, end)
    if (frame === undefined || frame.more === 0 || !hasValidChecksum(window, frame, seed, seq)) {
      const place = { file: path, session: header.session, seq, line: lineOf(header.base, seq) }
      throw corrupt(WRONG_CHECKSUM, place)
    }
  }
  const { session, incarnation, base, empty } = header
  const size = from + tailStart
  const common = { session, base, dataStart, size }
  let committed: Committed | undefined
  if (found !== undefined) {
    const { first, live, projection } = found.end
    const liveStart = first > last ? size : Math.max(dataStart, first <= base ? 0 : from + found.lineStart - live)
    const head = { first, last, incarnation, bytes: size - liveStart }
    committed = { ...common, liveStart, head, projectionText: JSON.stringify(projection) }
  } else if (empty !== undefined) {
    const head = { first: base, last, incarnation, bytes: 0 }
    committed = { ...common, liveStart: size, head, projectionText: JSON.stringify(empty.projection) }
  }
  return { committed, header, tornBytes: window.length - tailStart }
}
