/**
 * Everything that acts on a terminal, changes the order of text or cannot be seen: controls (C0, DEL, C1), format
 * characters (bidirectional marks, zero width, tags), separators that break lines, halves of surrogate pairs,
 * characters that are not assigned, and fillers that look like nothing.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Choose between the plain and the coloured form of a character before them; escaping them would spoil every emoji. */
const PRESENTATION = new Set(['\uFE0E', '\uFE0F'])

/** One line of text that is safe on any terminal: what would act is shown as an escape, such as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => (PRESENTATION.has(character) ? character : escapeOf(character)))
}

/** The same for text of several lines: line breaks are kept, as breaks between the lines returned. */
export function printableLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => printable(line))
}

/** JSON that is safe on any terminal and has the same value: what would act is written as `\u....`. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(UNSAFE, (character) =>
    // Between tokens JSON.stringify puts line breaks of its own; inside strings it never leaves one as it is.
    character === '\n' ? character : [...unitsOf(character)].map((unit) => `\\u${hex(unit, 4)}`).join(''),
  )
}

function escapeOf(character: string): string {
  const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
  if (named !== undefined) return named
  const code = character.codePointAt(0) ?? 0
  if (code < 0x100) return `\\x${hex(code, 2)}`
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 5)}}`
}

function* unitsOf(text: string): Generator<number> {
  for (let i = 0; i < text.length; i++) yield text.charCodeAt(i)
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
