import type { Random } from '@turnlog/conformance/random'

/** Numbers at which parsers of lengths go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0xc1, 0xdd, 0xdf, 0xc6, 0xc9]

/** A few changes at random places: bits, bytes, lengths, pieces taken out, doubled or moved. */
export function mutateBytes(original: Buffer, random: Random): Buffer {
  let bytes = Buffer.from(original)
  for (let changes = random.integer(1, 4); changes > 0; changes--) {
    const at = random.below(Math.max(1, bytes.length))
    const length = random.integer(1, 16)
    switch (random.below(7)) {
      case 0:
        if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
        break
      case 1:
        if (bytes.length > 0) bytes[at] = random.pick(EDGES)
        break
      case 2:
        bytes = bytes.subarray(0, at)
        break
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
        break
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
        break
      case 5:
        bytes.fill(random.below(256), at, Math.min(at + length, bytes.length))
        break
      default:
        if (at + 4 <= bytes.length) bytes.writeUInt32BE(random.pick([0, 0xffff_ffff, 0x7fff_ffff, bytes.length]), at)
    }
  }
  return bytes
}

const ODD_TEXTS = [
  '\0',
  '\u2028',
  '\ud800',
  '../',
  '..',
  '%2F',
  '?',
  '&',
  '=',
  ':',
  '\\',
  '"',
  '{',
  '}',
  '[',
  ',',
  '\n',
  '1e999',
  '-0',
  '__proto__',
  '🦀',
  'x'.repeat(600),
]

export function mutateText(original: string, random: Random): string {
  let text = original
  for (let changes = random.integer(1, 4); changes > 0; changes--) {
    const at = random.below(text.length + 1)
    const length = random.integer(0, 8)
    text = text.slice(0, at) + (random.chance(0.7) ? random.pick(ODD_TEXTS) : '') + text.slice(at + length)
  }
  return text
}
