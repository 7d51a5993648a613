/** Bytes per read. One is parsed while the next is read, so more at a time only holds up the first. */
export const CHUNK_BYTES: number = 256 * 1024

/** For a single message, and for chunks and the batches of many callers. */
const SIZES = [16 * 1024, CHUNK_BYTES] as const
/** Idle ones of each size. More sessions than this are seldom written to at the same moment. */
const MAX_IDLE = 8

/**
 * Memory of batches and chunks, used again. Fresh memory costs page faults, and the garbage collector counts it: 4 % of
 * a batch of 64, a twentieth of a cold read.
 */
const idle: readonly Buffer[][] = SIZES.map(() => [])

/** So many bytes, with anything in them. */
export function takeBuffer(bytes: number): Buffer {
  const kind = SIZES.findIndex((size) => bytes <= size)
  const size = SIZES[kind] ?? bytes
  return (idle[kind]?.pop() ?? Buffer.allocUnsafeSlow(size)).subarray(0, bytes)
}

/** Nothing may refer to the buffer any more. */
export function giveBack({ buffer }: Buffer): void {
  const others = idle[SIZES.findIndex((size) => buffer.byteLength === size)]
  if (others !== undefined && others.length < MAX_IDLE) others.push(Buffer.from(buffer))
}
