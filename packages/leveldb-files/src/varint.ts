export interface Varint {
  readonly value: number
  readonly next: number
}

/** `undefined` if it does not end, or is no safe integer. */
export function readVarint(bytes: Buffer, start: number): Varint | undefined {
  let value = 0
  let factor = 1
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, next: at + 1 } : undefined
    factor *= 128
  }
  return undefined
}

/** How many bytes a number takes as a varint. */
export function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++
  return bytes
}

export function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.of(...bytes, rest)
    bytes.push((rest % 128) + 128)
  }
}
