import { isAscii } from 'node:buffer'
import type { EventRecord } from '@turnlog/core/backend'
import type { LineFrame } from './line.ts'

/** Bytes of events that are parsed together; more at a time gains nothing. */
const JOINED_BYTES = 64 * 1024
const CLOSING_BRACE = 0x7d
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d

/**
 * The event of a line whose checksum has been verified, which also proves the UTF-8: we wrote these bytes.
 * Changes the buffer for a moment: the closing brace of the event is where the line has a comma.
 *
 * @throws {SyntaxError}
 */
export function parseEvent(buffer: Buffer, line: LineFrame): EventRecord {
  buffer[line.eventEnd] = CLOSING_BRACE
  try {
    return JSON.parse(buffer.toString('utf8', line.start, line.eventEnd + 1)) as EventRecord
  } finally {
    buffer[line.eventEnd] = COMMA
  }
}

/**
 * The events of ascending lines whose checksums have been verified. Neighbours in ASCII, which most are, are moved
 * together in the buffer and parsed as one array: a call for each takes a tenth longer. Leaves the buffer in ruins.
 *
 * @throws {SyntaxError} if one is not JSON
 */
export function parseEvents(buffer: Buffer, lines: readonly LineFrame[]): EventRecord[] {
  const events: EventRecord[] = []
  let count = 0
  let start = 0
  let end = 0
  const parseJoined = (): void => {
    if (count === 0) return
    buffer[start] = OPENING_BRACKET
    buffer[end - 1] = CLOSING_BRACKET
    const joined = JSON.parse(buffer.toString('latin1', start, end)) as EventRecord[]
    if (joined.length !== count) throw new SyntaxError('A line holds more than one value.')
    for (const event of joined) events.push(event)
    count = 0
  }
  for (const line of lines) {
    if (!isAscii(buffer.subarray(line.start, line.eventEnd))) {
      parseJoined()
      events.push(parseEvent(buffer, line))
      continue
    }
    // The first moves up by one to make room for the bracket, because a text that is put together is copied once more.
    if (count === 0) end = (start = line.start) + 1
    buffer[line.eventEnd] = CLOSING_BRACE
    buffer.copyWithin(end, line.start, line.eventEnd + 1)
    end += line.eventEnd + 1 - line.start
    buffer[end++] = COMMA
    count++
    if (end - start >= JOINED_BYTES) parseJoined()
  }
  parseJoined()
  return events
}
