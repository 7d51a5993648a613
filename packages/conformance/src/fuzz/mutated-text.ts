import { array, constantFrom, nat, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'

/** Characters at which parsers of paths, queries, JSON and numbers go wrong; empty takes something out. */
const ODD_TEXTS = ` \0 \u2028 \ud800 ../ .. %2F ? & = : \\ " { } [ , \n 1e999 -0 __proto__ 🦀 ${'x'.repeat(600)}`.split(
  ' ',
)

/** One of the originals with a few odd texts in the place of some of its characters. */
export function mutatedText(originals: readonly string[]): Arbitrary<string> {
  const edit = record({ at: nat(), length: nat({ max: 8 }), text: constantFrom(...ODD_TEXTS) })
  return record({ original: constantFrom(...originals), edits: array(edit, { minLength: 1, maxLength: 4 }) }).map(
    ({ original, edits }) =>
      edits.reduce((text, { at, length, text: odd }) => {
        const start = at % (text.length + 1)
        return text.slice(0, start) + odd + text.slice(start + length)
      }, original),
  )
}
