import type { Json, JsonObject } from '@turnlog/core/backend'
import type { BatchEnd, LineFrame } from '../format/line.ts'
import {
  batchEndFields,
  frameLine,
  hasValidChecksum,
  lineSuffix,
  MARK,
  parseBatchEnd,
  SEAL_BYTES,
  sealLine,
} from '../format/line.ts'
import type { RawLine } from './scan-lines.ts'

/** A line that was understood. */
export interface ReadableLine {
  readonly seq: number
  readonly more: number
  /** The line as it is to be written. */
  readonly bytes: Buffer
  /** It was not as we write it: changed by hand, or by damage that left it readable. */
  readonly isEdited: boolean
  /** The logical start of the session, if the line ends a batch. */
  readonly first?: number
}

/** The type of the event that stands in for one that could not be read. Inert: it has no effect on anything. */
export const LOST_TYPE = 'EventLost'

/** Understands a line if there is any way to; `undefined` if it is garbage. */
export function readAnyLine(
  raw: RawLine,
  seed: number,
  expectedSeq: number,
  knownFirst: number,
): ReadableLine | undefined {
  const { buffer, start, end } = raw
  const frame = frameLine(buffer, start, end)
  if (frame !== undefined && hasValidChecksum(buffer, frame, seed, expectedSeq)) {
    return asItIs(buffer, frame, expectedSeq)
  }
  const parts = splitText(buffer.subarray(start, end))
  if (parts === undefined) return undefined
  const { event, eventText, bookkeeping } = parts
  const seq = event['seq']
  if (typeof seq !== 'number') return undefined
  if (frame !== undefined && seq !== expectedSeq && hasValidChecksum(buffer, frame, seed, seq)) {
    return asItIs(buffer, frame, seq)
  }
  if (seq !== expectedSeq || typeof event['type'] !== 'string') return undefined
  const { more, first, last, lines, live, projection } = bookkeeping
  const count = typeof more === 'number' && Number.isSafeInteger(more) && more >= 0 ? more : 0
  const batchEnd: BatchEnd = {
    first: typeof first === 'number' ? first : knownFirst,
    last: seq,
    lines: typeof lines === 'number' && last === seq ? lines : 1,
    live: typeof live === 'number' ? live : 0,
    projection: projection ?? null,
  }
  const bytes = encodeLine(eventText, seq, count, batchEnd, seed)
  return { seq, more: count, bytes, isEdited: true, ...(count === 0 ? { first: batchEnd.first } : {}) }
}

function asItIs(buffer: Buffer, frame: LineFrame, seq: number): ReadableLine {
  const bytes = Buffer.from(buffer.subarray(frame.start, frame.end + 1))
  const first = parseBatchEnd(buffer, frame)?.first
  return { seq, more: frame.more, bytes, isEdited: false, ...(first === undefined ? {} : { first }) }
}

/** A line for an event that is lost, so that those after it keep their numbers. */
export function lostLine(seq: number, more: number, first: number, seed: number): ReadableLine {
  const text = JSON.stringify({ seq, id: `lost-${seq}`, type: LOST_TYPE, v: 1, at: 0, inert: true })
  const end = { first, last: seq, lines: 1, live: 0, projection: null }
  return { seq, more, bytes: encodeLine(text, seq, more, end, seed), isEdited: true }
}

function encodeLine(text: string, seq: number, more: number, end: BatchEnd, seed: number): Buffer {
  const fields = more > 0 ? '' : batchEndFields(end, JSON.stringify(end.projection))
  const line = text.slice(0, -1) + lineSuffix(more, fields, Buffer.byteLength(text))
  const size = Buffer.byteLength(line)
  const bytes = Buffer.alloc(size + SEAL_BYTES)
  bytes.write(line, 'utf8')
  sealLine(bytes, 0, size, seed, seq)
  return bytes
}

interface LineText {
  readonly event: JsonObject
  readonly eventText: string
  /** Empty if the line has none, as one that a person added. */
  readonly bookkeeping: JsonObject
}

function splitText(bytes: Buffer): LineText | undefined {
  try {
    // Editors on Windows end lines in CR LF.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r$/, '')
    const mark = text.lastIndexOf(MARK)
    const eventText = mark === -1 ? text.trim() : `${text.slice(0, mark)}}`
    const event = toObject(JSON.parse(eventText) as Json)
    const bookkeeping = mark === -1 ? {} : toObject(JSON.parse(text.slice(mark + ',"~":'.length, -1)) as Json)
    if (event === undefined || bookkeeping === undefined) return undefined
    // Other spellings of the same JSON, such as blanks, would be kept and are harmless, but one form is enough.
    return { event, eventText: JSON.stringify(event), bookkeeping }
  } catch {
    return undefined // neither UTF-8 nor JSON: garbage
  }
}

function toObject(value: Json): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}
