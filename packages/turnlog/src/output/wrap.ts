import { columnsOf } from './columns-of.ts'

/** Breaks printable text at blanks, so that no line is wider than asked unless a single word is. */
export function wrap(text: string, columns: number): string[] {
  if (text.length <= columns && columnsOf(text) <= columns) return [text]
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const piece of text.split(/(?<= )(?! )/)) {
    const pieceWidth = columnsOf(piece)
    if (width > 0 && width + columnsOf(piece.trimEnd()) > columns) {
      lines.push(line.trimEnd())
      line = ''
      width = 0
    }
    line += piece
    width += pieceWidth
  }
  lines.push(line.trimEnd())
  return lines
}
