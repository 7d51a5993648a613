import { readFully } from '../file-system/write-all.ts'
import { sessionSeed } from '../format/checksum.ts'
import { corrupt, WRONG_CHECKSUM } from '../format/corrupt.ts'
import { frameLine, hasValidChecksum } from '../format/line.ts'
import { lineOf } from '../format/committed.ts'
import type { Snapshot } from './locate-line.ts'

const CHUNK_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * Checks that the line of `seq` begins at `offset`. The caller is about to throw away everything before it and has only
 * counted newlines there; a flipped bit may have made one more or one less.
 *
 * @throws `CORRUPT`
 */
export async function checkLine({ file, path, committed }: Snapshot, seq: number, offset: number): Promise<void> {
  const { session, base, size, head } = committed
  const room = size - offset
  for (let length = Math.min(CHUNK_BYTES, room); ; length = Math.min(length * 4, room)) {
    const bytes = await readFully(file, offset, length)
    const end = bytes.indexOf(NEWLINE)
    if (end === -1 && length < room) continue
    const frame = end === -1 ? undefined : frameLine(bytes, 0, end)
    if (frame !== undefined && hasValidChecksum(bytes, frame, sessionSeed(head.incarnation), seq)) return
    throw corrupt(WRONG_CHECKSUM, { file: path, session, seq, line: lineOf(base, seq) })
  }
}
