import type { Json } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'
import { checksum, toHex } from './checksum.ts'
import { isCount, parseObject } from './parse-object.ts'

/** The version of the format that is written, and the only one that is read. */
export const FORMAT_VERSION = 1

/** The first line of a session file. */
export interface Header {
  readonly session: string
  readonly incarnation: string
  /** Seq of the first event line of this file. */
  readonly base: number
  /** Only if the file was rewritten when nothing in it could be read any more: the head until the next append. */
  readonly empty?: { readonly projection: Json }
}

const CHECKSUM_FIELD = ',"crc":"'
const END = '"}'

export function encodeHeader({ session, incarnation, base, empty }: Header): Buffer {
  const fields = { turnlog: 'jsonl', v: FORMAT_VERSION, session, incarnation, codec: null, base, ...empty }
  const text = JSON.stringify(fields).slice(0, -1) + CHECKSUM_FIELD
  return Buffer.from(`${text}${toHex(checksum(text))}${END}\n`, 'utf8')
}

/**
 * Reads the first line, without its newline. `undefined` if it is damaged or no header at all.
 *
 * @throws `UNSUPPORTED` if a newer Turnlog wrote it: the checksum of the header is the same in every version.
 */
export function parseHeader(line: Buffer, file: string): Header | undefined {
  const checksumStart = line.length - END.length - 8
  if (checksumStart < CHECKSUM_FIELD.length) return undefined
  const covered = line.subarray(0, checksumStart)
  if (line.toString('latin1', checksumStart) !== toHex(checksum(covered)) + END) return undefined
  const fields = parseObject(line.toString('utf8'))
  if (fields === undefined || fields['turnlog'] !== 'jsonl') return undefined
  const { v, session, incarnation, base, codec, projection } = fields
  if (v !== FORMAT_VERSION || codec !== null) {
    throw new StoreError(
      'UNSUPPORTED',
      `Cannot read ${file}: it has format version ${JSON.stringify(v)} and codec ${JSON.stringify(codec)}, this release reads version ${FORMAT_VERSION} without codec. Use a newer release of @turnlog/jsonl-backend.`,
      { file },
    )
  }
  if (typeof session !== 'string' || typeof incarnation !== 'string') return undefined
  if (!isCount(base) || base < 1) return undefined
  return { session, incarnation, base, ...(projection === undefined ? {} : { empty: { projection } }) }
}
