import { eastAsianWidth } from 'get-east-asian-width'

const GRAPHEMES = new Intl.Segmenter()
const ASCII = /^[ -~]*$/
/** Takes no column of its own. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]+$/u
/** Pictures made of characters that take one column alone: emoji style, a flag, a keycap. */
const PICTURE = /\uFE0F|^\p{Regional_Indicator}{2}|\u20E3/u

/** How many columns of a terminal printable text takes. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let columns = 0
  for (const grapheme of graphemesOf(text)) {
    if (INVISIBLE.test(grapheme)) continue
    columns += PICTURE.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) as number)
  }
  return columns
}

/** What a reader takes for one character: an accent or a family emoji is not to be cut in two. */
export function* graphemesOf(text: string): Generator<string> {
  for (const { segment } of GRAPHEMES.segment(text)) yield segment
}
