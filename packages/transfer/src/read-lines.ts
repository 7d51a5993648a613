/** The lines of a stream of text or UTF-8, without their ends; `\n` ends a line, alone or after `\r`. */
export async function* readLines(source: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let parts: string[] = []
  for await (const chunk of source) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      parts.push(text.slice(start, end))
      yield withoutReturn(parts.join(''))
      parts = []
      start = end + 1
    }
    if (start < text.length) parts.push(text.slice(start))
  }
  parts.push(decoder.decode())
  const rest = parts.join('')
  if (rest !== '') yield withoutReturn(rest)
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
