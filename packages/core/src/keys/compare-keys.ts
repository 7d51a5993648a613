/**
 * Orders session keys as their UTF-8 bytes do, without encoding them.
 *
 * UTF-16 order (`<` on strings) differs from byte order in one place only: surrogates (0xD800 to 0xDFFF) sort before
 * 0xE000 to 0xFFFF although the code points they encode are larger. Moving surrogates to the top restores the order.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return byteRank(x) - byteRank(y)
  }
  return a.length - b.length
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
