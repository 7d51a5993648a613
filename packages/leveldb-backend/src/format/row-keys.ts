import { crc32 } from 'node:zlib'

import { crc32Byte } from './crc32-byte.ts'

/**
 * Keys are binary, prefix-free and in byte order. A session key holds no control characters, so 0x00 ends it.
 *
 *   0x01 name                      store-wide rows
 *   0x02 session 0x00              head of a session
 *   0x03 session 0x00 seq(8, BE)   an event, or a segment under the seq of its last event
 */
const META = 0x01
const HEAD = 0x02
const EVENT = 0x03
const SEQ_BYTES = 8

export function metaKey(name: string): Buffer {
  return Buffer.concat([Buffer.of(META), Buffer.from(name, 'latin1')])
}

export const HEAD_ROWS: { readonly gte: Buffer; readonly lt: Buffer } = { gte: Buffer.of(HEAD), lt: Buffer.of(EVENT) }
export const EVENT_ROWS: { readonly gte: Buffer; readonly lt: Buffer } = {
  gte: Buffer.of(EVENT),
  lt: Buffer.of(EVENT + 1),
}

/** The head keys of all sessions whose key begins with `prefix`. */
export function headPrefix(prefix: string): Buffer {
  return Buffer.concat([Buffer.of(HEAD), Buffer.from(prefix)])
}

/** The first key that no longer begins with these bytes. The first byte is never 0xff, so there is one. */
export function afterPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix)
  let length = end.length
  while (end[length - 1] === 0xff) length--
  end[length - 1] = (end[length - 1] ?? 0) + 1
  return end.subarray(0, length)
}

export interface ParsedKey {
  readonly kind: 'meta' | 'head' | 'event'
  readonly name: string
  readonly seq: number
}

/** `undefined` if no row of this format has such a key. */
export function parseKey(key: Buffer): ParsedKey | undefined {
  if (key[0] === META) return { kind: 'meta', name: key.toString('latin1', 1), seq: 0 }
  if (key[0] === HEAD && key.indexOf(0, 1) === key.length - 1) {
    return { kind: 'head', name: key.toString('utf8', 1, key.length - 1), seq: 0 }
  }
  const end = key.length - SEQ_BYTES - 1
  if (key[0] === EVENT && end > 1 && key.indexOf(0, 1) === end) {
    return { kind: 'event', name: key.toString('utf8', 1, end), seq: readUint64(key, end + 1) }
  }
  return undefined
}

/** Where a key lies, for people. It may be shortened, as in the index of a table. */
export function keyInWords(key: Buffer): string {
  if ((key[0] ?? 0) <= META) return key.length === 0 ? 'the beginning' : 'the rows of the store'
  if ((key[0] ?? 0) > EVENT) return 'the end'
  const parsed = parseKey(key)
  const end = key.indexOf(0, 1)
  const name = JSON.stringify(parsed?.name ?? key.toString('utf8', 1, end < 0 ? key.length : end))
  if (key[0] === HEAD) return `the head of session ${name}`
  return `${parsed === undefined ? 'the events' : `event ${parsed.seq}`} of session ${name}`
}

/** The seq of an event key. */
export function seqOf(key: Buffer): number {
  return readUint64(key, key.length - SEQ_BYTES)
}

export function readUint64(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 0x1_0000_0000 + bytes.readUInt32BE(offset + 4)
}

/** Byte by byte: each append writes a dozen of these, and `writeUInt32BE` checks its arguments every time. */
export function writeUint64(bytes: Buffer, value: number, offset: number): void {
  writeUint32(bytes, Math.floor(value / 0x1_0000_0000), offset)
  writeUint32(bytes, value, offset + 4)
}

function writeUint32(bytes: Buffer, value: number, offset: number): void {
  bytes[offset] = value >>> 24
  bytes[offset + 1] = value >>> 16
  bytes[offset + 2] = value >>> 8
  bytes[offset + 3] = value
}

/**
 * The keys of one session, and the CRC-32 of each, which the checksum of its row begins with. The event key is one
 * buffer that is written anew for each seq, because a batch copies it at once and an allocation per row shows in the
 * profile.
 */
export class SessionKeys {
  readonly head: Buffer
  readonly #event: Buffer
  readonly #seqAt: number
  #headSum: number | undefined
  /** Of what all event keys begin with. */
  #eventSum: number | undefined

  constructor(session: string) {
    // One buffer of its own: from Node's pool, which is shared with much larger values, a few bytes kept would keep 8 KB.
    const size = Buffer.byteLength(session)
    const both = Buffer.allocUnsafeSlow(size + 2 + size + 2 + SEQ_BYTES).fill(0)
    this.head = both.subarray(0, size + 2)
    this.head[0] = HEAD
    this.head.write(session, 1)
    this.#event = both.subarray(size + 2)
    this.#event[0] = EVENT
    this.#event.write(session, 1)
    this.#seqAt = size + 2
  }

  /** Valid until the next call. */
  event(seq: number): Buffer {
    writeUint64(this.#event, seq, this.#seqAt)
    return this.#event
  }

  eventCopy(seq: number): Buffer {
    return Buffer.from(this.event(seq))
  }

  get headSum(): number {
    return (this.#headSum ??= crc32(this.head))
  }

  /** CRC-32 of `event(seq)`. */
  eventSum(seq: number): number {
    const key = this.event(seq)
    let sum = (this.#eventSum ??= crc32(key.subarray(0, this.#seqAt)))
    for (let index = this.#seqAt; index < key.length; index++) sum = crc32Byte(sum, key[index] ?? 0)
    return sum
  }
}
