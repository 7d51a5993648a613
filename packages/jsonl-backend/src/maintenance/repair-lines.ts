import type { JsonObject } from '@turnlog/core/backend'
import type { BatchEnd } from '../format/line.ts'
import {
  batchEndFields,
  frameLine,
  hasValidChecksum,
  LINE_BYTES,
  LineWriter,
  MARK,
  parseBatchEnd,
} from '../format/line.ts'
import { isCount, parseObject } from '../format/parse-object.ts'

/** A line that was understood. */
export interface ReadableLine {
  readonly seq: number
  readonly more: number
  /** The JSON text of the event. */
  readonly text: string
  /** What the line says about the session, if it ends a batch. */
  readonly batchEnd: BatchEnd | undefined
  /** The line as it is to be written, with its newline; `undefined` if its checksum has to be computed anew. */
  readonly bytes: Buffer | undefined
}

/** What checking a line needs. */
export interface LineReader {
  readonly seed: number
  /** Accept lines without regard to their checksum, because what it depends on is lost. */
  readonly isTrusting: boolean
}

/** What a person writes in place of the eight digits of a line that was edited on purpose. */
const EDITED = '"crc":"edited"}}'
/** A line of ours ends so, `"length":123,"crc":"01234567"}}`, whatever is wrong with it. */
const OUR_END = /"[^"]{6}":\d+,"[^"]{3}":"[^"]{8}"\}\}$/
const NEWLINE: Buffer = Buffer.from('\n')

/** Understands a line, without its newline, that matches its checksum. The frame gives the places, nothing is searched for. */
export function readWholeLine(line: Buffer, seed: number): ReadableLine | undefined {
  const frame = frameLine(line, 0, line.length)
  if (frame === undefined) return undefined
  const text = `${line.toString('utf8', 0, frame.eventEnd)}}`
  const seq = parseObject(text)?.['seq']
  if (!isCount(seq) || !hasValidChecksum(line, frame, seed, seq)) return undefined
  return { seq, more: frame.more, text, batchEnd: parseBatchEnd(line, frame), bytes: Buffer.concat([line, NEWLINE]) }
}

/**
 * Understands a line that is whole, one that a person marked as edited, and one that a person added. `undefined` if it
 * is damaged: what merely looks like JSON may be anything.
 *
 * @param expected Seqs that a line without a valid checksum may have.
 */
export function readAnyLine(
  line: Buffer,
  { seed, isTrusting }: LineReader,
  expected: { readonly from: number; readonly to: number },
): ReadableLine | undefined {
  const whole = readWholeLine(line, seed)
  if (whole !== undefined) return whole
  const parts = isTrusting ? (splitFramed(line) ?? splitMeant(line)) : splitMeant(line)
  if (parts === undefined) return undefined
  const { seq, type } = parts.event
  if (!isCount(seq) || seq < expected.from || seq > expected.to || typeof type !== 'string') return undefined
  const { more = 0, first, live, projection = null } = parts.bookkeeping
  const isLast = more === 0
  const batchEnd = isLast
    ? { first: isCount(first) ? first : 0, last: seq, lines: 1, live: isCount(live) ? live : 0, projection }
    : undefined
  return { seq, more: isCount(more) ? more : 0, text: JSON.stringify(parts.event), batchEnd, bytes: undefined }
}

/** The line as it is to be written. */
export function encodeLine({ seq, more, text, batchEnd }: ReadableLine, seed: number): Buffer {
  const fields = batchEnd === undefined ? '' : batchEndFields(batchEnd, JSON.stringify(batchEnd.projection))
  const bytes = Buffer.alloc(LINE_BYTES + Buffer.byteLength(text) + Buffer.byteLength(fields))
  const writer = new LineWriter(bytes, 0, seed)
  writer.write(seq, text, more, fields)
  return bytes.subarray(0, writer.position)
}

interface LineText {
  readonly event: JsonObject
  /** Empty if the line has none, as one that a person added. */
  readonly bookkeeping: JsonObject
}

function splitFramed(line: Buffer): LineText | undefined {
  const frame = frameLine(line, 0, line.length)
  const text = frame === undefined ? undefined : decode(line)
  if (frame === undefined || text === undefined) return undefined
  return cutAt(text, line.toString('utf8', 0, frame.eventEnd).length)
}

/** A line that a person wrote: one marked as edited, or one without any bookkeeping. */
function splitMeant(line: Buffer): LineText | undefined {
  const text = decode(line)?.trimEnd() // an editor may end lines in CR LF
  if (text === undefined) return undefined
  // The mark may be in the event and in the projection as well; cut there, neither half would be JSON.
  for (let mark = text.lastIndexOf(MARK); mark > 0; mark = text.lastIndexOf(MARK, mark - 1)) {
    const parts = cutAt(text, mark)
    if (parts !== undefined) return text.endsWith(EDITED) ? parts : undefined
  }
  const event = OUR_END.test(text) ? undefined : parseObject(text)
  return event === undefined ? undefined : { event, bookkeeping: {} }
}

function cutAt(text: string, mark: number): LineText | undefined {
  const event = parseObject(`${text.slice(0, mark)}}`)
  const bookkeeping = event === undefined ? undefined : parseObject(text.slice(mark + ',"~":'.length, -1))
  return event === undefined || bookkeeping === undefined ? undefined : { event, bookkeeping }
}

function decode(line: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
  } catch {
    return undefined // not UTF-8: damaged
  }
}
