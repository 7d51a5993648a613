import type { LogRecord } from './read-log.ts'
import { readVarint } from './varint.ts'

export interface TableFile {
  readonly number: number
  readonly level: number
  readonly bytes: number
  /** Internal keys without their last 8 bytes: what the table holds, both ends included. */
  readonly smallest: Buffer
  readonly largest: Buffer
}

export interface Manifest {
  readonly logNumber: number
  readonly nextFile: number
  readonly tables: ReadonlyMap<number, TableFile>
  /** Tables that were replaced. They may still be there, and hold nothing that is needed. */
  readonly replaced: ReadonlySet<number>
}

const COMPARATOR = 1
const LOG_NUMBER = 2
const NEXT_FILE = 3
const LAST_SEQUENCE = 4
const COMPACT_POINTER = 5
const DELETED_FILE = 6
const NEW_FILE = 7
const PREVIOUS_LOG_NUMBER = 9
const LEVELS = 7
const INTERNAL_KEY_BYTES = 8

/** What the records of a MANIFEST add up to, or why they do not. */
export function parseManifest(records: readonly LogRecord[]): Manifest | { readonly problem: string } {
  const tables = new Map<number, TableFile>()
  const replaced = new Set<number>()
  const numbers = new Map<number, number>()
  for (const { bytes, offset } of records) {
    const reader = new EditReader(bytes)
    while (!reader.isAtEnd && !reader.isBad) {
      const tag = reader.number()
      switch (tag) {
        case COMPARATOR:
          if (reader.slice().toString('latin1') !== 'leveldb.BytewiseComparator') reader.isBad = true
          break
        case LOG_NUMBER:
        case NEXT_FILE:
        case LAST_SEQUENCE:
        case PREVIOUS_LOG_NUMBER:
          numbers.set(tag, reader.number())
          break
        case COMPACT_POINTER:
          reader.level()
          reader.slice()
          break
        case DELETED_FILE: {
          reader.level()
          const number = reader.number()
          tables.delete(number)
          replaced.add(number)
          break
        }
        case NEW_FILE: {
          const table = reader.table()
          tables.set(table.number, table)
          replaced.delete(table.number)
          break
        }
        default:
          reader.isBad = true
      }
    }
    if (reader.isBad) return { problem: `the record at byte ${offset} cannot be understood` }
  }
  const logNumber = numbers.get(LOG_NUMBER)
  const nextFile = numbers.get(NEXT_FILE)
  if (logNumber === undefined || nextFile === undefined || !numbers.has(LAST_SEQUENCE)) {
    return { problem: 'it ends before it says which log is in use' }
  }
  return { logNumber, nextFile, tables, replaced }
}

/** The keys in a record: bounds of tables, and where compactions go on. `undefined` if it cannot be understood. */
export function keysIn(record: Buffer): readonly Buffer[] | undefined {
  const reader = new EditReader(record)
  const found: Buffer[] = []
  while (!reader.isAtEnd && !reader.isBad) found.push(...readField(reader).keys)
  return reader.isBad ? undefined : found
}

/** The same record without the places where compactions go on; `undefined` if it cannot be understood. */
export function withoutCompactPointers(record: Buffer): Buffer | undefined {
  const reader = new EditReader(record)
  const kept: Buffer[] = []
  while (!reader.isAtEnd && !reader.isBad) {
    const start = reader.at
    const { tag } = readField(reader)
    if (tag !== COMPACT_POINTER) kept.push(record.subarray(start, reader.at))
  }
  return reader.isBad ? undefined : Buffer.concat(kept)
}

function readField(reader: EditReader): { readonly tag: number; readonly keys: readonly Buffer[] } {
  const tag = reader.number()
  switch (tag) {
    case COMPARATOR:
      reader.slice()
      return { tag, keys: [] }
    case NEW_FILE: {
      const { smallest, largest } = reader.table()
      return { tag, keys: [smallest, largest] }
    }
    case COMPACT_POINTER:
      reader.level()
      return { tag, keys: [reader.slice()] }
    case DELETED_FILE:
      reader.level()
      reader.number()
      return { tag, keys: [] }
    default:
      reader.number()
      return { tag, keys: [] }
  }
}

class EditReader {
  readonly #bytes: Buffer
  #at = 0
  isBad = false

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get at(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(): number {
    const varint = readVarint(this.#bytes, this.#at)
    if (varint === undefined) {
      this.isBad = true
      return 0
    }
    this.#at = varint.next
    return varint.value
  }

  level(): number {
    const level = this.number()
    if (level >= LEVELS) this.isBad = true
    return level
  }

  slice(): Buffer {
    const length = this.number()
    const start = this.#at
    if (start + length > this.#bytes.length) {
      this.isBad = true
      return Buffer.alloc(0)
    }
    this.#at = start + length
    return this.#bytes.subarray(start, this.#at)
  }

  table(): TableFile {
    const level = this.level()
    const number = this.number()
    const bytes = this.number()
    return { level, number, bytes, smallest: this.#userKey(), largest: this.#userKey() }
  }

  #userKey(): Buffer {
    const key = this.slice()
    if (key.length < INTERNAL_KEY_BYTES) this.isBad = true
    return key.subarray(0, Math.max(0, key.length - INTERNAL_KEY_BYTES))
  }
}
