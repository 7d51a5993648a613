import type { StoreError } from '@turnlog/core/backend'
import type { OpenFile } from '../file-system/file-system.ts'
import { readFully } from '../file-system/write-all.ts'
import { sessionSeed } from '../format/checksum.ts'
import type { Place } from '../format/corrupt.ts'
import { corrupt, WRONG_CHECKSUM } from '../format/corrupt.ts'
import { frameLine, hasValidChecksum } from '../format/line.ts'
import type { Committed } from '../format/committed.ts'
import { lineOf } from '../format/committed.ts'
import type { LineOffset, LineOffsets } from '../file-system/line-offsets.ts'

/** Bytes per read. One is parsed while the next is read, so more at a time only holds up the first. */
export const CHUNK_BYTES: number = 256 * 1024
const NEWLINE = 0x0a

/** A file as it was at one moment: what is appended later lies beyond `committed.size`. */
export interface Snapshot {
  readonly file: OpenFile
  readonly path: string
  readonly committed: Committed
  readonly lineOffsets: LineOffsets
}

export function placeOf({ path, committed }: Snapshot, seq: number): Place {
  return { file: path, session: committed.session, seq, line: lineOf(committed.base, seq) }
}

export function missingLine(snapshot: Snapshot, seq: number): StoreError {
  return corrupt(`there is no line for event ${seq} in the file`, placeOf(snapshot, seq))
}

/**
 * Where the line of `seq` begins; `last + 1` is the end of the file. Looks for newlines from the nearest known line,
 * forwards or backwards, so that a short view costs the same at both ends of a long file. Nothing is parsed.
 */
export async function locateLine(snapshot: Snapshot, seq: number): Promise<number> {
  const { base, dataStart, size, head } = snapshot.committed
  if (seq === head.last + 1) return size
  const start = { seq: base, offset: dataStart }
  const end = { seq: head.last + 1, offset: size }
  const known = [start, end, snapshot.lineOffsets.before(seq), snapshot.lineOffsets.after(seq)]
  let nearest: LineOffset | undefined
  for (const candidate of known) {
    if (candidate === undefined || candidate.offset > size) continue
    if (nearest === undefined || Math.abs(candidate.seq - seq) < Math.abs(nearest.seq - seq)) nearest = candidate
  }
  const from = nearest ?? start
  const offset = from.seq <= seq ? await forwards(snapshot, from, seq) : await backwards(snapshot, from, seq)
  if (offset === undefined) throw missingLine(snapshot, seq)
  snapshot.lineOffsets.add(seq, offset)
  return offset
}

async function forwards(snapshot: Snapshot, from: LineOffset, seq: number): Promise<number | undefined> {
  let current = from.seq
  let position = from.offset
  const { size } = snapshot.committed
  let offset = position
  while (current < seq) {
    if (position >= size) return undefined
    const chunk = await readFully(snapshot.file, position, Math.min(CHUNK_BYTES, size - position))
    if (chunk.length === 0) return undefined
    for (let at = chunk.indexOf(NEWLINE); at !== -1 && current < seq; at = chunk.indexOf(NEWLINE, at + 1)) {
      current++
      offset = position + at + 1
    }
    position += chunk.length
    snapshot.lineOffsets.add(current, offset)
  }
  return offset
}

async function backwards(snapshot: Snapshot, from: LineOffset, seq: number): Promise<number | undefined> {
  // The newline just in front of `offset` begins line `current`; each one further up begins the line before.
  let current = from.seq
  let end = from.offset - 1
  const { dataStart } = snapshot.committed
  while (end > dataStart) {
    const start = Math.max(dataStart, end - CHUNK_BYTES)
    const chunk = await readFully(snapshot.file, start, end - start)
    for (let at = chunk.lastIndexOf(NEWLINE); at !== -1; at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1)) {
      current--
      if (current === seq) return start + at + 1
    }
    end = start
  }
  return current - 1 === seq ? dataStart : undefined
}

/**
 * Checks that the line of `seq` begins at `offset`. The caller is about to throw away everything before it and has only
 * counted newlines there; a flipped bit may have made one more or one less.
 *
 * @throws `CORRUPT`
 */
export async function checkLine(snapshot: Snapshot, seq: number, offset: number): Promise<void> {
  const { size, head } = snapshot.committed
  const room = size - offset
  for (let length = Math.min(CHUNK_BYTES, room); ; length = Math.min(length * 4, room)) {
    const bytes = await readFully(snapshot.file, offset, length)
    const end = bytes.indexOf(NEWLINE)
    if (end === -1 && length < room) continue
    const frame = end === -1 ? undefined : frameLine(bytes, 0, end)
    if (frame !== undefined && hasValidChecksum(bytes, frame, sessionSeed(head.incarnation), seq)) return
    throw corrupt(WRONG_CHECKSUM, placeOf(snapshot, seq))
  }
}
