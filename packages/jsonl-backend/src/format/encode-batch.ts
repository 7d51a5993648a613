import { BATCH_END_BYTES, batchEndFields, LINE_BYTES, writeLine } from './line.ts'

/** One batch as it goes to the file. */
export interface EncodedBatch {
  readonly bytes: Buffer
  /** Where the first readable line of the session begins once the batch is written. */
  readonly liveStart: number
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

/** A character of UTF-16 takes at most so many bytes of UTF-8. */
const CHARACTER_BYTES = 3

/** Where batches are put together that fit in any case: to count their bytes first would take as long as to write them. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024)

/** Encodes a batch into one buffer, for one write. */
export function encodeBatch(input: BatchInput): EncodedBatch {
  const { header, texts, start, first, projectionText, seed, position } = input
  const isSmall = roomFor(input, mostBytes) <= scratch.length
  const bytes = isSmall ? scratch : Buffer.allocUnsafe(roomFor(input, (text) => Buffer.byteLength(text)))
  const count = texts.length
  const last = start + count - 1
  let { liveStart } = input
  let at = header === undefined ? 0 : header.copy(bytes)
  for (let index = 0; index < count; index++) {
    if (start + index === first) liveStart = position + at
    let endFields = ''
    if (index === count - 1) {
      const live = first > last ? 0 : position + at - liveStart
      endFields = batchEndFields({ first, last, lines: count, live }, projectionText)
    }
    at = writeLine(bytes, at, texts[index] ?? '', count - 1 - index, endFields, seed, start + index)
  }
  const written = bytes.subarray(0, at)
  return {
    bytes: isSmall ? Buffer.from(written) : written,
    liveStart: first > last ? position + at : liveStart,
  }
}

function mostBytes(text: string): number {
  return text.length * CHARACTER_BYTES
}

/** The bytes that a batch takes, at most, if its texts take so many. */
function roomFor({ header, texts, projectionText }: BatchInput, bytesOf: (text: string) => number): number {
  let bytes = (header?.length ?? 0) + BATCH_END_BYTES + bytesOf(projectionText)
  for (const text of texts) bytes += LINE_BYTES + bytesOf(text)
  return bytes
}
