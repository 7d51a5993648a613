import { array, constantFrom, nat, oneof, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'

/** Bytes at which parsers of lengths and types go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0xc1, 0xdd, 0xdf, 0xc6, 0xc9]

type Edit = (bytes: Buffer) => Buffer

/** One of the originals with a few changes: bits, bytes, lengths, pieces taken out, doubled or overwritten. */
export function mutatedBytes(originals: readonly Buffer[]): Arbitrary<Buffer> {
  const place = record({ at: nat(), length: nat({ max: 15 }), value: nat({ max: 255 }) })
  const edit = oneof(
    place.map(({ at, value }) => setByte(at, (byte) => byte ^ (1 << (value & 7)))),
    place.map(({ at, value }) => setByte(at, () => EDGES[value % EDGES.length] ?? 0)),
    place.map(({ at }) => within(at, (bytes, start) => bytes.subarray(0, start))),
    place.map(({ at, length }) => within(at, (bytes, start) => spliced(bytes, start, start + length + 1))),
    place.map(({ at, length }) => within(at, (bytes, start) => spliced(bytes, start + length + 1, start))),
    place.map(({ at, length, value }) =>
      within(at, (bytes, start) => bytes.fill(value, start, Math.min(bytes.length, start + length + 1))),
    ),
    place.map(({ at, value }) => within(at, (bytes, start) => setLength(bytes, start, value))),
  )
  return record({ original: constantFrom(...originals), edits: array(edit, { minLength: 1, maxLength: 4 }) }).map(
    ({ original, edits }) => edits.reduce((bytes, change) => Buffer.from(change(bytes)), Buffer.from(original)),
  )
}

/** `at` is anything: it is brought into the range that the bytes have. */
function within(at: number, change: (bytes: Buffer, start: number) => Buffer): Edit {
  return (bytes) => change(bytes, at % Math.max(1, bytes.length))
}

function setByte(at: number, change: (byte: number) => number): Edit {
  return within(at, (bytes, start) => {
    if (start < bytes.length) bytes[start] = change(bytes[start] ?? 0)
    return bytes
  })
}

function setLength(bytes: Buffer, start: number, choice: number): Buffer {
  if (start + 4 <= bytes.length)
    bytes.writeUInt32BE([0, 0xffff_ffff, 0x7fff_ffff, bytes.length][choice % 4] ?? 0, start)
  return bytes
}

/** Everything before `end`, then everything from `start` on: a piece is missing, or there twice. */
function spliced(bytes: Buffer, end: number, start: number): Buffer {
  return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)])
}
