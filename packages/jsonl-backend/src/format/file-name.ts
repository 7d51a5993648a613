import { createHash } from 'node:crypto'

/** What every session file ends in. */
export const SESSION_SUFFIX = '.jsonl'

/** Longest encoded key that is spelled out. With every suffix of ours a name stays well below 255 bytes. */
const MAX_SPELLED_BYTES = 200
const HASHED_PREFIX_BYTES = 96

const PLAIN = /^[a-z0-9_.-]*$/
const HASHED = /^(?:[a-z0-9_.-]|\+[a-z]|%[0-9A-F]{2})*~[0-9a-f]{64}$/
const SPELLED = /^(?:[a-z0-9_.-]|\+[a-z]|%[0-9A-F]{2})+$/

/** Names that Windows keeps for devices, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/

/**
 * The file name of a session: readable, reversible, and different for different keys even where the file system
 * ignores case or Unicode forms.
 *
 * `a-z`, `0-9`, `_`, `-` and `.` stay as they are; a capital is `+` and the small letter; every other byte is `%XX`.
 * A dot or dash at the beginning and the first letter of a Windows device name are `%XX` too. A key that would be too
 * long is cut and followed by `~` and the SHA-256 of the key; the header of the file then holds the whole key.
 */
export function encodeFileName(session: string): string {
  let name = session
  if (!PLAIN.test(session)) {
    name = ''
    for (const byte of Buffer.from(session, 'utf8')) name += encodeByte(byte)
  }
  if (name.startsWith('.') || name.startsWith('-') || DEVICE.test(name)) {
    name = percent(name.charCodeAt(0)) + name.slice(1)
  }
  if (name.length > MAX_SPELLED_BYTES) {
    const prefix = name.slice(0, HASHED_PREFIX_BYTES).replace(/(?:\+|%[0-9A-F]?)$/, '')
    name = `${prefix}~${createHash('sha256').update(session, 'utf8').digest('hex')}`
  }
  return name + SESSION_SUFFIX
}

/**
 * The key that a file name stands for, `'hashed'` if only the header holds it, `undefined` if no session has that name.
 */
export function decodeFileName(name: string): { readonly session: string } | 'hashed' | undefined {
  if (!name.endsWith(SESSION_SUFFIX)) return undefined
  const encoded = name.slice(0, -SESSION_SUFFIX.length)
  if (!SPELLED.test(encoded)) return HASHED.test(encoded) ? 'hashed' : undefined
  // As Latin-1, one character is one byte of the key.
  const bytes = encoded.replaceAll(/\+([a-z])|%([0-9A-F]{2})/g, (_all, letter?: string, hex?: string) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(hex ?? '', 16)) : letter.toUpperCase(),
  )
  const session = bytes === encoded ? encoded : Buffer.from(bytes, 'latin1').toString('utf8')
  // Any other spelling of the key is not ours: two files must never stand for one session.
  return encodeFileName(session) === name ? { session } : undefined
}

function encodeByte(byte: number): string {
  if (byte >= 0x41 && byte <= 0x5a) return `+${String.fromCharCode(byte + 0x20)}`
  const isPlain =
    (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2e || byte === 0x5f
  return isPlain ? String.fromCharCode(byte) : percent(byte)
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
