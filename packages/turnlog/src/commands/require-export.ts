import { StoreError } from '@turnlog/core'

/** Far more than the first line of an export takes. */
const HEAD_BYTES = 4096

const NEWLINE = 0x0a

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['SQLite format 3\0', 'an SQLite database'],
  ['\u001f\u008b', 'a compressed file'],
  ['\u0028\u00b5\u002f\u00fd', 'a compressed file'],
]

/**
 * The same bytes, once their first line says that they are an export: before a store is made for them.
 *
 * @throws `INVALID_ARGUMENT` with what they look like, and the command for other files
 */
export async function requireExport(
  source: AsyncIterable<Uint8Array>,
  name: string,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < HEAD_BYTES && !head.includes(NEWLINE)) {
    const { value, done } = await chunks.next()
    if (done === true) break
    head = Buffer.concat([head, value])
  }
  if (!isExport(firstLine(head))) {
    await chunks.return?.()
    throw new StoreError(
      'INVALID_ARGUMENT',
      `${name} is not a Turnlog export: it ${looksLike(head)}. Messages, one JSON object per line, come in with turnlog add KEY --stdin, and directories of old session files with turnlog migrate.`,
    )
  }
  return (async function* whole() {
    yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  })()
}

function firstLine(head: Buffer): unknown {
  const [line = ''] = head
    .toString()
    .replace(/^\uFEFF/, '')
    .split('\n', 1)
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isExport(value: unknown): boolean {
  return isObject(value) && value['format'] === 'turnlog-export'
}

function looksLike(head: Buffer): string {
  if (head.length === 0) return 'is empty'
  const signature = SIGNATURES.find(([bytes]) => head.toString('latin1').startsWith(bytes))
  if (signature !== undefined) return `looks like ${signature[1]}`
  if (!isText(head)) return 'looks like a binary file'
  const value = firstLine(head)
  if (isObject(value) && ('role' in value || 'type' in value)) return 'looks like a file of messages'
  return /^\s*[[{]/.test(head.toString()) ? 'looks like other JSON' : 'looks like other text'
}

function isText(head: Buffer): boolean {
  if (head.includes(0)) return false
  try {
    // A character may be cut in half where the head ends.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
