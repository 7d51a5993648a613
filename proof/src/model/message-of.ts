import { crc32 } from 'node:zlib'

export interface ProofMessage {
  readonly role: string
  readonly content: string
  readonly checked: number
}

/** Text that a careless writer of lines or of bytes would break. */
const FILLER = 'ordinary words, "quotes"\n\u2028 ünïcode 日本 \u{1F980} \\ '

/** The one message with this id: any reader can tell from the id alone what it must be, byte by byte. */
export function messageOf(id: string): ProofMessage {
  const hash = crc32(id)
  // Ids that begin with s are of short messages: scripted runs make few system calls then, and each is tried.
  const kind = id.startsWith('s') ? 0 : hash % 100
  const length = kind < 85 ? hash % 250 : kind < 99 ? 1_000 + (hash % 6_000) : 60_000
  const filler = FILLER.repeat(Math.ceil(length / FILLER.length))
  return { role: hash % 2 === 0 ? 'user' : 'assistant', content: `${id}|${filler}`, checked: hash }
}

/** The id of a message that is exactly as it was written; otherwise a description that matches no id. */
export function idOf(message: unknown): string {
  const content = (message as Partial<ProofMessage> | undefined)?.content
  const id = typeof content === 'string' ? content.slice(0, content.indexOf('|')) : ''
  return JSON.stringify(message) === JSON.stringify(messageOf(id)) ? id : `altered(${id.slice(0, 40)})`
}
