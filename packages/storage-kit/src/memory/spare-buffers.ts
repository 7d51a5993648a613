/** What idle buffers may take. As much as the tails in use, so that all of them can be sealed by one batch. */
const SPARE_BYTES = 8 * 1024 * 1024
/** What is asked for is an estimate. */
const ROOM = 1.25
/** A much larger one would be counted against other tails for nothing. */
const MAX_LARGER = 4

/**
 * Memory of events that wait to be sealed, used again. Segments of a busy store are a hundred kilobytes per
 * millisecond that die old: V8 answered with forty times as many full collections, a seventh of an append.
 */
const spare: Buffer[] = []
let spareBytes = 0

/** A buffer of at least so many bytes, with anything in it. */
export function takeBuffer(bytes: number): Buffer {
  const index = spare.findLastIndex(({ length }) => length >= bytes && length <= MAX_LARGER * bytes)
  const [found] = index === -1 ? [] : spare.splice(index, 1)
  if (found === undefined) return Buffer.allocUnsafeSlow(Math.ceil(bytes * ROOM))
  spareBytes -= found.length
  return found
}

/** Nobody else may use it any more. */
export function giveBack(buffer: Buffer): void {
  if (buffer.length === 0 || spareBytes + buffer.length > SPARE_BYTES) return
  spare.push(buffer)
  spareBytes += buffer.length
}
