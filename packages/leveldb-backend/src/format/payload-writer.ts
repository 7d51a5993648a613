import type { Json, JsonObject } from '@turnlog/core/backend'

import { recordOf } from './structures.ts'

/** Values are written one behind the other into chunks of this size, because a buffer for each would cost as much. */
const CHUNK_BYTES = 32 * 1024
/** Deeper values could overflow the stack. */
const MAX_DEPTH = 200
/** A string of this length is written by Node; before that, the call takes longer than the loop. */
const LONG_STRING = 64
/** From this length on the bytes are counted, because three times as many as characters would be a lot of memory. */
const HUGE_STRING = 16 * 1024
/** What anything but a string takes at most. */
const SCALAR_BYTES = 9

let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
let view = viewOf(chunk)
/** Where the value begins, and how far it has come. */
let start = 0
let end = 0

/**
 * msgpack as msgpackr writes it, byte for byte, with `reserved` bytes before it: `payload-codec.ts` says how it is read.
 * A writer of our own, because msgpackr goes through the keys of each object four times and would have to be asked
 * beforehand whether it carries the value exactly, and takes `toJSON` and `constructor` in a message for its own
 * (docs/decisions/0004).
 *
 * @returns part of a chunk, so not to be kept for long; `undefined` if msgpack does not carry the value exactly: lone
 *   surrogates, `__proto__`, the sign of zero, deep nesting
 */
export function writePayload(payload: Json, reserved: number): Buffer | undefined {
  start = end
  makeRoom(reserved)
  end += reserved
  const value = write(payload, 0) ? chunk.subarray(start, end) : undefined
  // A few bytes behind a large value would keep all of it in memory.
  if (chunk.length > CHUNK_BYTES) takeChunk(CHUNK_BYTES)
  return value
}

function write(value: Json | undefined, depth: number): boolean {
  makeRoom(SCALAR_BYTES)
  switch (typeof value) {
    case 'string':
      return writeString(value)
    case 'number':
      return writeNumber(value)
    case 'boolean':
      chunk[end++] = value ? 0xc3 : 0xc2
      return true
    case 'object':
      if (value === null) {
        chunk[end++] = 0xc0
        return true
      }
      if (depth === MAX_DEPTH) return false
      return Array.isArray(value)
        ? writeArray(value as readonly Json[], depth)
        : writeObject(value as JsonObject, depth)
    case 'undefined':
      // No JSON, but who gives it gets it back.
      chunk[end++] = 0xd4
      chunk[end++] = 0
      chunk[end++] = 0
      return true
    default:
      return false
  }
}

function writeArray(array: readonly Json[], depth: number): boolean {
  writeLength(array.length, 0x90, 0xdc)
  for (let index = 0; index < array.length; index++) if (!write(array[index], depth + 1)) return false
  return true
}

function writeObject(object: JsonObject, depth: number): boolean {
  const record = recordOf(object)
  if (record === undefined) return writeMap(object, depth)
  chunk[end++] = record
  for (const key in object) if (!write(object[key], depth + 1)) return false
  return true
}

function writeMap(object: JsonObject, depth: number): boolean {
  const keys = Object.keys(object)
  writeLength(keys.length, 0x80, 0xde)
  for (const key of keys) {
    if (key === '__proto__') return false
    makeRoom(SCALAR_BYTES)
    if (!writeString(key) || !write(object[key], depth + 1)) return false
  }
  return true
}

/** `few` with up to 15 in it, or `many` before two bytes, or the one after `many` before four. */
function writeLength(length: number, few: number, many: number): void {
  if (length < 0x10) chunk[end++] = few | length
  else if (length < 0x10000) {
    chunk[end++] = many
    chunk[end++] = length >> 8
    chunk[end++] = length
  } else {
    chunk[end++] = many + 1
    view.setUint32(end, length)
    end += 4
  }
}

function writeNumber(value: number): boolean {
  if (value >>> 0 === value) {
    if (value === 0 && Object.is(value, -0)) return false
    // Bytes from 0x40 on are the numbers of records.
    if (value < 0x40) chunk[end++] = value
    else if (value < 0x100) {
      chunk[end++] = 0xcc
      chunk[end++] = value
    } else if (value < 0x10000) {
      chunk[end++] = 0xcd
      chunk[end++] = value >> 8
      chunk[end++] = value
    } else {
      chunk[end++] = 0xce
      view.setUint32(end, value)
      end += 4
    }
  } else if (value >> 0 === value) {
    if (value >= -0x20) chunk[end++] = value
    else if (value >= -0x80) {
      chunk[end++] = 0xd0
      chunk[end++] = value
    } else if (value >= -0x8000) {
      chunk[end++] = 0xd1
      view.setInt16(end, value)
      end += 2
    } else {
      chunk[end++] = 0xd2
      view.setInt32(end, value)
      end += 4
    }
  } else {
    chunk[end++] = 0xcb
    view.setFloat64(end, value)
    end += 8
  }
  return true
}

function writeString(value: string): boolean {
  return value.length < LONG_STRING ? writeShort(value) : writeLong(value)
}

type WellFormed = { isWellFormed(): boolean }

/** Character by character, and from the first that is not ASCII on as if it were a long one. */
function writeShort(value: string): boolean {
  const { length } = value
  makeRoom(length + 2)
  const head = length < 0x20 ? 1 : 2
  const at = end + head
  for (let index = 0; index < length; index++) {
    const code = value.charCodeAt(index)
    if (code >= 0x80) return writeLong(value)
    chunk[at + index] = code
  }
  if (head === 1) chunk[end] = 0xa0 | length
  else {
    chunk[end] = 0xd9
    chunk[end + 1] = length
  }
  end = at + length
  return true
}

function writeLong(value: string): boolean {
  if (!(value as unknown as WellFormed).isWellFormed()) return false
  const { length } = value
  makeRoom(5 + (length < HUGE_STRING ? 3 * length : Buffer.byteLength(value)))
  // Behind the head that so many characters would need if they were ASCII; moved if their bytes need a longer one.
  const guess = headBytes(length)
  const bytes = chunk.write(value, end + guess)
  const head = headBytes(bytes)
  if (head !== guess) chunk.copyWithin(end + head, end + guess, end + guess + bytes)
  if (head === 1) chunk[end] = 0xa0 | bytes
  else if (head === 2) {
    chunk[end] = 0xd9
    chunk[end + 1] = bytes
  } else if (head === 3) {
    chunk[end] = 0xda
    view.setUint16(end + 1, bytes)
  } else {
    chunk[end] = 0xdb
    view.setUint32(end + 1, bytes)
  }
  end += head + bytes
  return true
}

function headBytes(length: number): 1 | 2 | 3 | 5 {
  return length < 0x20 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : 5
}

/** So many more bytes fit into the chunk, or the value goes on in a larger one. */
function makeRoom(bytes: number): void {
  if (end + bytes > chunk.length) moveOn(bytes)
}

function moveOn(bytes: number): void {
  const unfinished = chunk.subarray(start, end)
  const needed = unfinished.length + bytes
  takeChunk(needed <= CHUNK_BYTES ? CHUNK_BYTES : 2 * needed)
  unfinished.copy(chunk)
  end = unfinished.length
}

function takeChunk(bytes: number): void {
  chunk = Buffer.allocUnsafeSlow(bytes)
  view = viewOf(chunk)
  start = 0
  end = 0
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
