import stringWidth from 'string-width'

/** The text in at most so many columns, with an ellipsis if something is missing. Expects printable text. */
export function fit(text: string, columns: number): string {
  if (text.length <= columns && stringWidth(text) <= columns) return text
  let width = 0
  let end = 0
  for (const character of text) {
    const next = width + stringWidth(character)
    if (next > columns - 1) break
    width = next
    end += character.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}

/** Fills up with blanks to so many columns. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - stringWidth(text)))
}
