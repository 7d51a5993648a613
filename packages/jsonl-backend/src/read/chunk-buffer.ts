/** Bytes per read. One is parsed while the next is read, so more at a time only holds up the first. */
export const CHUNK_BYTES: number = 256 * 1024

/** Smaller ones are as cheap to allocate. */
const SMALL_BYTES = 64 * 1024

/**
 * The buffers of the last reads, for the next. Fresh ones cost page faults, and the garbage collector counts them: a
 * twentieth of a cold read. Two are enough for one reader; others that overlap with it have their own.
 */
const spares: Buffer[] = []
const SPARES_MOST = 2

export function takeBuffer(length: number): Buffer {
  if (length <= SMALL_BYTES || length > CHUNK_BYTES) return Buffer.allocUnsafeSlow(length)
  const whole = spares.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
  return whole.subarray(0, length)
}

/** Nothing may refer to the buffer any more. */
export function giveBack(buffer: Buffer): void {
  if (buffer.buffer.byteLength !== CHUNK_BYTES || spares.length === SPARES_MOST) return
  spares.push(Buffer.from(buffer.buffer))
}
