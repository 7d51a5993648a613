import type { OpenFile } from '../file-system/file-system.ts'
import { readFully } from '../file-system/write-all.ts'

const CHUNK_BYTES = 1024 * 1024
const NEWLINE = 0x0a

/** One line of a file, whatever it holds. */
export interface RawLine {
  readonly buffer: Buffer
  readonly start: number
  /** Position of the newline, or of the end of the file if it has none. */
  readonly end: number
  readonly isTerminated: boolean
}

/** Every line of a file between two positions, split at byte 0x0A and nothing else. */
export async function* scanLines(file: OpenFile, from: number, to: number): AsyncGenerator<RawLine> {
  let position = from
  let chunkBytes = CHUNK_BYTES
  while (position < to) {
    const buffer = await readFully(file, position, Math.min(chunkBytes, to - position))
    if (buffer.length === 0) return
    let start = 0
    for (let end; (end = buffer.indexOf(NEWLINE, start)) !== -1; start = end + 1) {
      yield { buffer, start, end, isTerminated: true }
    }
    if (position + buffer.length >= to && start < buffer.length) {
      yield { buffer, start, end: buffer.length, isTerminated: false }
      return
    }
    if (start === 0) chunkBytes *= 4 // a line longer than the chunk
    position += start
  }
}
