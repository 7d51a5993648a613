import type { EventRecord, Range } from '@turnlog/core/backend'
import { giveBack, takeBuffer } from '@turnlog/storage-kit'
import type { OpenFile } from '../file-system/file-system.ts'
import { fillBuffer } from '../file-system/write-all.ts'
import { sessionSeed } from '../format/checksum.ts'
import { corrupt, WRONG_CHECKSUM } from '../format/corrupt.ts'
import type { LineFrame } from '../format/line.ts'
import { frameLine, hasValidChecksum } from '../format/line.ts'
import { parseEvents } from '../format/parse-events.ts'
import type { Snapshot } from './locate-line.ts'
import { CHUNK_BYTES, locateLine, missingLine, placeOf } from './locate-line.ts'

const MIN_CHUNK_BYTES = 16 * 1024
const NEWLINE = 0x0a

/** The events of one range that exists, ascending, at most `limit`, in batches. Each line's checksum is verified. */
export async function* readForwards(
  snapshot: Snapshot,
  { from, to }: Range,
  limit: number,
): AsyncGenerator<EventRecord[]> {
  const { committed, file } = snapshot
  const seed = sessionSeed(committed.head.incarnation)
  const end = Math.min(to, from + limit - 1)
  let seq = from
  let position = -1
  let chunkBytes = chunkFor(snapshot, end - from + 1)
  const read = (): Promise<Buffer> => readChunk(file, position, Math.min(chunkBytes, committed.size - position))
  /** The next chunk, which is read while this one is parsed. */
  let ahead: Promise<Buffer> | undefined
  try {
    for (;;) {
      if (seq > end) return
      if (position === -1) position = await locateLine(snapshot, from)
      const chunk = await (ahead ?? read())
      ahead = undefined
      const lines: LineFrame[] = []
      let start = 0
      for (let newline; seq <= end && (newline = chunk.indexOf(NEWLINE, start)) !== -1; start = newline + 1) {
        lines.push(checkedLine(snapshot, chunk, start, newline, seed, seq))
        seq++
      }
      if (start === 0) {
        // A short read means that the file became shorter. Asking for more would never end.
        const isShort = chunk.length < Math.min(chunkBytes, committed.size - position)
        if (isShort || position + chunk.length >= committed.size) throw missingLine(snapshot, seq)
        chunkBytes *= 4 // a line longer than the chunk
      }
      position += start
      if (seq <= committed.head.last) snapshot.lineOffsets.add(seq, position)
      if (seq <= end && chunkBytes <= CHUNK_BYTES) {
        ahead = read()
        ahead.catch(() => undefined) // the next step gets it
      }
      const batch = parsed(snapshot, chunk, lines, seq - lines.length)
      if (batch.length > 0) yield batch
    }
  } finally {
    await ahead?.catch(() => undefined) // the file is closed next, and its descriptor may be reused for another file
  }
}

/** The same, descending from the end of the range. */
export async function* readBackwards(
  snapshot: Snapshot,
  { from, to }: Range,
  limit: number,
): AsyncGenerator<EventRecord[]> {
  const { committed, file } = snapshot
  const seed = sessionSeed(committed.head.incarnation)
  const lowest = Math.max(from, to - limit + 1)
  let seq = to
  let position = -1
  let chunkBytes = chunkFor(snapshot, to - lowest + 1)
  for (;;) {
    if (seq < lowest) return
    if (position === -1) position = await locateLine(snapshot, to + 1)
    const begin = Math.max(committed.dataStart, position - chunkBytes)
    const chunk = await readChunk(file, begin, position - begin)
    if (chunk.length < position - begin) throw missingLine(snapshot, seq) // the file has become shorter
    const lines: LineFrame[] = []
    let newline = chunk.length - 1
    while (seq >= lowest && newline >= 0) {
      const before = newline === 0 ? -1 : chunk.lastIndexOf(NEWLINE, newline - 1)
      if (before === -1 && begin > committed.dataStart) break // the line begins in front of the chunk
      lines.push(checkedLine(snapshot, chunk, before + 1, newline, seed, seq))
      seq--
      newline = before
    }
    if (lines.length === 0) {
      if (begin <= committed.dataStart) throw missingLine(snapshot, seq)
      chunkBytes *= 4
    }
    position = begin + newline + 1
    const batch = parsed(snapshot, chunk, lines.reverse(), seq + 1).reverse()
    if (batch.length > 0) yield batch
  }
}

/** Into memory of its own, which {@link parsed} gives back: fresh memory takes a twentieth of a cold read. */
function readChunk(file: OpenFile, position: number, bytes: number): Promise<Buffer> {
  return fillBuffer(file, position, takeBuffer(bytes).subarray(0, bytes))
}

/** Enough for so many lines of common length, so that a short view does not read a long file. */
function chunkFor({ committed }: Snapshot, lines: number): number {
  const lineBytes = (committed.size - committed.dataStart) / (committed.head.last - committed.base + 1)
  return Math.min(CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, Math.ceil(lineBytes * lines * 1.5)))
}

function checkedLine(
  snapshot: Snapshot,
  chunk: Buffer,
  start: number,
  newline: number,
  seed: number,
  seq: number,
): LineFrame {
  const frame = frameLine(chunk, start, newline)
  if (frame === undefined || !hasValidChecksum(chunk, frame, seed, seq)) {
    throw corrupt(WRONG_CHECKSUM, placeOf(snapshot, seq))
  }
  return frame
}

/** The events of lines that were checked; the chunk is not needed any more after that. */
function parsed(snapshot: Snapshot, chunk: Buffer, lines: readonly LineFrame[], first: number): EventRecord[] {
  try {
    const events = parseEvents(chunk, lines)
    giveBack(Buffer.from(chunk.buffer))
    return events
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Without the cause: its text quotes what could not be parsed.
    const range = `events ${first} to ${first + lines.length - 1}`
    throw corrupt(`not all of the ${range} are JSON, although their checksums match`, placeOf(snapshot, first))
  }
}
