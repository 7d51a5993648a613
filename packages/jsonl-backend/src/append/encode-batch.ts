import { giveBack, takeBuffer } from '@turnlog/storage-kit'
import { BATCH_END_BYTES, batchEndFields, LINE_BYTES, LineWriter } from '../format/line.ts'

/** One batch as it goes to the file. */
export interface EncodedBatch {
  /** In use until `release`. */
  readonly bytes: Buffer
  /** Where the first readable line of the session begins once the batch is written. */
  readonly liveStart: number
  /** Call this when the bytes have been written. */
  release(): void
}

export interface BatchInput {
  /** Put in front: the header of a new file. */
  readonly header: Buffer | undefined
  /** The JSON text of each event. */
  readonly texts: readonly string[]
  /** Seq of the first text. */
  readonly start: number
  /** The logical start of the session after the batch. */
  readonly first: number
  readonly projectionText: string
  readonly seed: number
  /** Where in the file `header` or the first line goes. */
  readonly position: number
  /** Where the first readable line begins, if it lies in front of the batch. */
  readonly liveStart: number
}

/** The room for a batch is estimated up to here, and counted above. */
const MAX_ESTIMATED_BYTES = 256 * 1024
/** A character of UTF-16 takes at most so many bytes of UTF-8. */
const CHARACTER_BYTES = 3

/** Encodes a batch into one buffer, for one write. */
export function encodeBatch(input: BatchInput): EncodedBatch {
  const { header, texts, start, first, projectionText, seed, position } = input
  // To count the bytes of each text takes as long as to write it, so that is done only if the batch may not fit.
  const most = roomFor(input, (text) => text.length * CHARACTER_BYTES)
  const room = takeBuffer(most <= MAX_ESTIMATED_BYTES ? most : roomFor(input, (text) => Buffer.byteLength(text)))
  const count = texts.length
  const last = start + count - 1
  let { liveStart } = input
  const writer = new LineWriter(room, header?.copy(room) ?? 0, seed)
  for (let index = 0; index < count; index++) {
    const at = position + writer.position
    if (start + index === first) liveStart = at
    let endFields = ''
    if (index === count - 1) {
      const live = first > last ? 0 : at - liveStart
      endFields = batchEndFields({ first, last, lines: count, live }, projectionText)
    }
    writer.write(start + index, texts[index] ?? '', count - 1 - index, endFields)
  }
  return {
    bytes: room.subarray(0, writer.position),
    liveStart: first > last ? position + writer.position : liveStart,
    release: () => giveBack(room),
  }
}

/** The bytes that a batch takes, at most, if its texts take so many. */
function roomFor({ header, texts, projectionText }: BatchInput, bytesOf: (text: string) => number): number {
  let bytes = (header?.length ?? 0) + BATCH_END_BYTES + bytesOf(projectionText)
  for (const text of texts) bytes += LINE_BYTES + bytesOf(text)
  return bytes
}
