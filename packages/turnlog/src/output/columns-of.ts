const GRAPHEMES = new Intl.Segmenter()
const ASCII = /^[ -~]*$/
/** Takes no column of its own. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]+$/u
/** Assigned characters of two columns: the East Asian Width property, W or F, of Unicode 16. */
const WIDE =
  /[\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\u3247\u3250-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6B\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DF2}\u{1AFF0}-\u{1B2FB}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]|(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u
/** Pictures made of characters that take one column alone: emoji style, a flag, a keycap. */
const PICTURE = /\uFE0F|^\p{Regional_Indicator}{2}|\u20E3/u

/** How many columns of a terminal printable text takes. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let columns = 0
  for (const grapheme of graphemesOf(text)) {
    if (INVISIBLE.test(grapheme)) continue
    const [first = ''] = grapheme
    columns += PICTURE.test(grapheme) || WIDE.test(first) ? 2 : 1
  }
  return columns
}

/** What a reader takes for one character: an accent or a family emoji is not to be cut in two. */
export function* graphemesOf(text: string): Generator<string> {
  for (const { segment } of GRAPHEMES.segment(text)) yield segment
}
