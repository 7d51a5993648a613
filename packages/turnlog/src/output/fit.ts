import { columnsOf, graphemesOf } from './columns-of.ts'

/** The text in at most so many columns, with an ellipsis if something is missing. Expects printable text. */
export function fit(text: string, columns: number): string {
  if (text.length <= columns && columnsOf(text) <= columns) return text
  let width = 0
  let end = 0
  for (const grapheme of graphemesOf(text)) {
    const next = width + columnsOf(grapheme)
    if (next > columns - 1) break
    width = next
    end += grapheme.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}

/** Fills up with blanks to so many columns. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}
