import type { Json, JsonObject } from '@turnlog/core/backend'
import type { BatchEnd, LineFrame } from '../format/line.ts'
import {
  batchEndFields,
  frameLine,
  hasValidChecksum,
  LINE_BYTES,
  MARK,
  parseBatchEnd,
  writeLine,
} from '../format/line.ts'
import type { RawLine } from './scan-lines.ts'

/** A line that was understood. */
export interface ReadableLine {
  readonly seq: number
  readonly more: number
  /** The JSON text of the event. */
  readonly text: string
  /** What the line says about the session, if it ends a batch. */
  readonly batchEnd: BatchEnd | undefined
  /** The line as it is, if it is as we write it. */
  readonly bytes: Buffer | undefined
}

/** What a person writes in place of the eight digits of a line that was edited on purpose. */
const EDITED = '"crc":"edited"}}'
const CARRIAGE_RETURN = 0x0d

/**
 * Understands a line that is whole, one that only got another line ending, one that a person marked as edited, and one
 * that a person added. `undefined` if it is damaged: what merely looks like JSON may be anything.
 *
 * @param isTrusting Accept lines without regard to their checksum, because what it depends on is lost.
 */
export function readAnyLine(
  raw: RawLine,
  seed: number,
  expectedSeq: number,
  isTrusting: boolean,
): ReadableLine | undefined {
  const { buffer, start } = raw
  const end = buffer[raw.end - 1] === CARRIAGE_RETURN ? raw.end - 1 : raw.end
  const frame = frameLine(buffer, start, end)
  const parts = splitText(buffer.subarray(start, end))
  if (parts === undefined) return undefined
  const { seq } = parts.event
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || typeof parts.event['type'] !== 'string') return undefined
  if (frame !== undefined && hasValidChecksum(buffer, frame, seed, seq)) return asItIs(raw, frame, seq, parts.text)
  const isMeant = parts.bookkeeping === undefined || buffer.subarray(start, end).includes(EDITED)
  if (!isMeant && !(isTrusting && frame !== undefined)) return undefined
  if (seq !== expectedSeq) return undefined
  const { more = 0, first, live, projection = null } = parts.bookkeeping ?? {}
  const isLast = more === 0
  const batchEnd = isLast
    ? { first: isCount(first) ? first : 0, last: seq, lines: 1, live: isCount(live) ? live : 0, projection }
    : undefined
  return { seq, more: isCount(more) ? more : 0, text: parts.text, batchEnd, bytes: undefined }
}

/** The line as it is to be written. */
export function encodeLine({ seq, more, text, batchEnd }: ReadableLine, seed: number): Buffer {
  const fields = batchEnd === undefined ? '' : batchEndFields(batchEnd, JSON.stringify(batchEnd.projection))
  const bytes = Buffer.alloc(LINE_BYTES + Buffer.byteLength(text) + Buffer.byteLength(fields))
  return bytes.subarray(0, writeLine(bytes, 0, text, more, fields, seed, seq))
}

function asItIs(raw: RawLine, frame: LineFrame, seq: number, text: string): ReadableLine {
  const batchEnd = parseBatchEnd(raw.buffer, frame)
  const isWhole = frame.end === raw.end
  const bytes = isWhole ? Buffer.from(raw.buffer.subarray(frame.start, frame.end + 1)) : undefined
  return { seq, more: frame.more, text, batchEnd, bytes }
}

interface LineText {
  readonly event: JsonObject
  readonly text: string
  /** `undefined` if the line has none, as one that a person added. */
  readonly bookkeeping: JsonObject | undefined
}

function splitText(bytes: Buffer): LineText | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const mark = text.lastIndexOf(MARK)
    const event = toObject(JSON.parse(mark === -1 ? text : `${text.slice(0, mark)}}`) as Json)
    const bookkeeping = mark === -1 ? undefined : toObject(JSON.parse(text.slice(mark + ',"~":'.length, -1)) as Json)
    return event === undefined ? undefined : { event, text: JSON.stringify(event), bookkeeping }
  } catch {
    return undefined // neither UTF-8 nor JSON: damaged
  }
}

function toObject(value: Json): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
