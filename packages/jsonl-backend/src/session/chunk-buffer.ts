/** Bytes per read: one hop through the thread pool costs as much as copying a few hundred kilobytes. */
export const CHUNK_BYTES: number = 1024 * 1024

/** Smaller ones are as cheap to allocate. */
const SMALL_BYTES = 64 * 1024

/**
 * The buffer of the last read, for the next. A fresh megabyte each time costs page faults, and the garbage collector
 * counts it: a twentieth of a cold read. Reads that overlap have their own.
 */
let spare: Buffer | undefined

export function takeBuffer(length: number): Buffer {
  if (length <= SMALL_BYTES || length > CHUNK_BYTES) return Buffer.allocUnsafeSlow(length)
  const whole = spare ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
  spare = undefined
  return whole.subarray(0, length)
}

/** Nothing may refer to the buffer any more. */
export function giveBack(buffer: Buffer): void {
  if (buffer.buffer.byteLength === CHUNK_BYTES) spare = Buffer.from(buffer.buffer)
}
