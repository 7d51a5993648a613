import { batchEndFields, lineSuffix, SEAL_BYTES, sealLine } from './line.ts'

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

/** Encodes a batch into one buffer, for one write. */
export function encodeBatch(input: BatchInput): EncodedBatch {
  const { header, texts, start, first, projectionText, seed, position } = input
  const headerBytes = header === undefined ? 0 : header.length
  const count = texts.length
  const last = start + count - 1
  const suffixes: string[] = []
  let size = headerBytes
  let liveStart = input.liveStart
  for (let index = 0; index < count; index++) {
    if (start + index === first) liveStart = position + size
    const eventBytes = Buffer.byteLength(texts[index] ?? '')
    const more = count - 1 - index
    let end = ''
    if (more === 0) {
      const live = first > last ? 0 : position + size - liveStart
      end = batchEndFields({ first, last, lines: count, live }, projectionText)
    }
    const suffix = lineSuffix(more, end, eventBytes)
    suffixes.push(suffix)
    // Only the projection may hold anything but ASCII.
    const suffixBytes = more === 0 ? Buffer.byteLength(suffix) : suffix.length
    size += eventBytes - 1 + suffixBytes + SEAL_BYTES
  }
  const bytes = Buffer.allocUnsafe(size)
  if (header !== undefined) header.copy(bytes)
  let at = headerBytes
  for (let index = 0; index < count; index++) {
    const lineStart = at
    // The closing brace of the event is overwritten: the line has a comma there.
    at += bytes.write(texts[index] ?? '', at) - 1
    at += bytes.write(suffixes[index] ?? '', at)
    at = sealLine(bytes, lineStart, at, seed, start + index)
  }
  return { bytes, liveStart: first > last ? position + size : liveStart }
}
