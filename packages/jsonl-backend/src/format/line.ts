import type { Json } from '@turnlog/core/backend'
import { lineChecksum } from './checksum.ts'
import { isCount, parseObject } from './parse-object.ts'

/**
 * One event line is `{<the event's own fields>,"~":{<bookkeeping>,"length":N,"crc":"xxxxxxxx"}}`.
 * N is the length in bytes of the event's own JSON text, so a reader cuts it out without looking for anything, and an
 * event may have any field names, also `~`. The checksum covers everything in front of its eight digits.
 */
export const MARK = ',"~":{"more":'
const LENGTH_FIELD = ',"length":'
const CHECKSUM_FIELD = ',"crc":"'
const END = '"}}'
const CHECKSUM_DIGITS = 8
const MARK_BYTES: Buffer = Buffer.from(MARK)
const LENGTH_BYTES: Buffer = Buffer.from(LENGTH_FIELD)
const CHECKSUM_BYTES: Buffer = Buffer.from(CHECKSUM_FIELD)
const END_BYTES: Buffer = Buffer.from(END)
const NEWLINE = 0x0a
const HEX_DIGITS: Buffer = Buffer.from('0123456789abcdef')
/** Of a safe integer. */
const MAX_DIGITS = 16

/** Bytes of a line after the digits of its length. */
const TAIL: number = CHECKSUM_FIELD.length + CHECKSUM_DIGITS + END.length

/** Where the parts of a line lie in its buffer. */
export interface LineFrame {
  readonly start: number
  /** Position of the newline. */
  readonly end: number
  /** Position of the comma that follows the event's own fields. */
  readonly eventEnd: number
  /** Lines of the same batch that follow. */
  readonly more: number
}

/** What the last line of a batch says about the session. */
export interface BatchEnd {
  readonly first: number
  readonly last: number
  /** Lines of this batch. */
  readonly lines: number
  /** Bytes of readable lines in front of this one. */
  readonly live: number
  readonly projection: Json
}

/** Finds the parts of the line in `buffer` from `start` up to the newline at `end`. Checks the form, not the checksum. */
export function frameLine(buffer: Buffer, start: number, end: number): LineFrame | undefined {
  const tail = end - TAIL
  if (tail - start < MARK.length + LENGTH_FIELD.length) return undefined
  if (!matches(buffer, END_BYTES, end - END.length) || !matches(buffer, CHECKSUM_BYTES, tail)) return undefined
  let digits = tail
  let length = 0
  for (let scale = 1; isDigit(buffer[digits - 1]) && scale < 1e15; scale *= 10) {
    digits--
    length += ((buffer[digits] ?? 0) - 0x30) * scale
  }
  if (digits === tail || !matches(buffer, LENGTH_BYTES, digits - LENGTH_FIELD.length)) return undefined
  const eventEnd = start + length - 1
  if (length < 2 || eventEnd >= tail || !matches(buffer, MARK_BYTES, eventEnd)) return undefined
  let more = 0
  let position = eventEnd + MARK.length
  if (!isDigit(buffer[position])) return undefined
  for (; isDigit(buffer[position]); position++) more = more * 10 + ((buffer[position] ?? 0) - 0x30)
  return { start, end, eventEnd, more }
}

export function hasValidChecksum(buffer: Buffer, line: LineFrame, seed: number, seq: number): boolean {
  const digits = line.end - END.length - CHECKSUM_DIGITS
  const checksum = lineChecksum(seed, seq, buffer.subarray(line.start, digits))
  for (let index = 0; index < CHECKSUM_DIGITS; index++) {
    if (buffer[digits + index] !== hexDigit(checksum, index)) return false
  }
  return true
}

function hexDigit(checksum: number, index: number): number {
  return HEX_DIGITS[(checksum >>> (4 * (CHECKSUM_DIGITS - 1 - index))) & 0xf] ?? 0
}

/** The bookkeeping of the last line of a batch; `undefined` if it is not one. */
export function parseBatchEnd(buffer: Buffer, line: LineFrame): BatchEnd | undefined {
  if (line.more !== 0) return undefined
  const text = buffer.toString('utf8', line.eventEnd + ',"~":'.length, line.end - 1)
  const { first, last, lines, live, projection } = parseObject(text) ?? {}
  if (!isCount(first) || !isCount(last) || !isCount(lines) || !isCount(live)) return undefined
  return projection === undefined ? undefined : { first, last, lines, live, projection }
}

/** What {@link batchEndFields} takes at most beside the projection. */
export const BATCH_END_BYTES = 128

export function batchEndFields(end: Omit<BatchEnd, 'projection'>, projectionText: string): string {
  return `,"first":${end.first},"last":${end.last},"lines":${end.lines},"live":${end.live},"projection":${projectionText}`
}

/** What {@link LineWriter} takes at most beside the bytes of `text` and `endFields`. */
export const LINE_BYTES: number = MARK.length + LENGTH_FIELD.length + TAIL + 2 * MAX_DIGITS + 1

/** Writes lines into a buffer, one after the other. */
export class LineWriter {
  readonly #buffer: Buffer
  readonly #seed: number
  #position: number

  constructor(buffer: Buffer, position: number, seed: number) {
    this.#buffer = buffer
    this.#position = position
    this.#seed = seed
  }

  /** Where the next line goes. */
  get position(): number {
    return this.#position
  }

  /**
   * Writes the line of an event, from its JSON text. `endFields` is what the last line of a batch says, and empty in all
   * others. Byte by byte where there are few: to call Buffer's own ways of writing takes several times as long for those.
   */
  write(seq: number, text: string, more: number, endFields: string): void {
    const buffer = this.#buffer
    const start = this.#position
    const length = buffer.write(text, start)
    // The closing brace of the event is overwritten: the line has a comma there.
    let at = copyBytes(buffer, MARK_BYTES, start + length - 1)
    at = writeDigits(buffer, more, at)
    if (endFields !== '') at += buffer.write(endFields, at)
    at = copyBytes(buffer, LENGTH_BYTES, at)
    at = writeDigits(buffer, length, at)
    at = copyBytes(buffer, CHECKSUM_BYTES, at)
    const checksum = lineChecksum(this.#seed, seq, buffer.subarray(start, at))
    for (let index = 0; index < CHECKSUM_DIGITS; index++) buffer[at++] = hexDigit(checksum, index)
    at = copyBytes(buffer, END_BYTES, at)
    buffer[at] = NEWLINE
    this.#position = at + 1
  }
}

function copyBytes(buffer: Buffer, bytes: Buffer, position: number): number {
  for (let index = 0; index < bytes.length; index++) buffer[position + index] = bytes[index] ?? 0
  return position + bytes.length
}

function writeDigits(buffer: Buffer, value: number, position: number): number {
  let end = position + 1
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end++
  let rest = value
  for (let at = end - 1; at >= position; at--) {
    const others = Math.floor(rest / 10)
    buffer[at] = 0x30 + rest - others * 10
    rest = others
  }
  return end
}

function matches(buffer: Buffer, text: Buffer, position: number): boolean {
  if (position < 0) return false
  for (let index = 0; index < text.length; index++) if (buffer[position + index] !== text[index]) return false
  return true
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}
