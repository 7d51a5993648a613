import type { DatabasePages } from './database-pages.ts'

export type Column = string | number | null

/** A row of a table, or an entry of an index. */
export interface PageRecord {
  /** Missing in an index. */
  readonly rowid: bigint | undefined
  readonly columns: readonly Column[]
}

const LEAF_OF_TABLE = 0x0d
const LEAF_OF_INDEX = 0x0a
const INNER_OF_INDEX = 0x02
/** Of a page that is not a leaf, and of one that is. */
const INNER_HEADER_BYTES = 12
const LEAF_HEADER_BYTES = 8
/** Before the first page. */
const DATABASE_HEADER_BYTES = 100

/** All records of one page that can be read, whatever has become of the tree it belongs to. https://sqlite.org/fileformat2.html */
export function* recordsOf(pages: DatabasePages, number: number): Generator<PageRecord, void> {
  const page = pages.read(number)
  const start = number === 1 ? DATABASE_HEADER_BYTES : 0
  const kind = page[start]
  if (kind !== LEAF_OF_TABLE && kind !== LEAF_OF_INDEX && kind !== INNER_OF_INDEX) return
  const pointers = start + (kind === INNER_OF_INDEX ? INNER_HEADER_BYTES : LEAF_HEADER_BYTES)
  const cells = Math.min(page.readUInt16BE(start + 3), Math.floor((page.length - pointers) / 2))
  for (let index = 0; index < cells; index++) {
    try {
      const at = page.readUInt16BE(pointers + 2 * index) + (kind === INNER_OF_INDEX ? 4 : 0)
      yield recordAt(pages, page, at, kind === LEAF_OF_TABLE)
    } catch {
      // It points outside of its page or of the file.
    }
  }
}

function recordAt(pages: DatabasePages, page: Buffer, at: number, isTable: boolean): PageRecord {
  const length = varint(page, at)
  const rowid = isTable ? varint(page, length.end) : undefined
  const payload = payloadAt(pages, page, (rowid ?? length).end, Number(length.value), isTable)
  return { rowid: rowid?.value, columns: columnsOf(payload) }
}

/** What does not fit into the page goes on in pages of its own. */
function payloadAt(pages: DatabasePages, page: Buffer, start: number, length: number, isTable: boolean): Buffer {
  const usable = pages.pageBytes
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (length <= most) return slice(page, start, length)
  if (length > pages.count * usable) throw new RangeError('longer than the file')
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const wanted = least + ((length - least) % (usable - 4))
  const here = wanted <= most ? wanted : least
  const parts = [slice(page, start, here)]
  let left = length - here
  let next = slice(page, start + here, 4).readUInt32BE(0)
  while (left > 0) {
    if (next < 1 || next > pages.count) throw new RangeError('outside of the file')
    const overflow = pages.read(next)
    const count = Math.min(left, usable - 4)
    parts.push(overflow.subarray(4, 4 + count))
    left -= count
    next = overflow.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

function columnsOf(payload: Buffer): Column[] {
  const header = varint(payload, 0)
  const columns: Column[] = []
  let type = header.end
  let at = Number(header.value)
  const end = at
  while (type < end) {
    const { value, end: next } = varint(payload, type)
    const [column, bytes] = columnAt(payload, at, Number(value))
    columns.push(column)
    type = next
    at += bytes
  }
  return columns
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8]

function columnAt(payload: Buffer, at: number, type: number): readonly [Column, number] {
  if (type === 0) return [null, 0]
  if (type === 8 || type === 9) return [type - 8, 0]
  if (type >= 13 && type % 2 === 1) {
    const bytes = (type - 13) / 2
    return [slice(payload, at, bytes).toString('utf8'), bytes]
  }
  const bytes = INTEGER_BYTES[type]
  if (bytes === undefined) throw new RangeError('nothing that is stored here')
  const value = slice(payload, at, bytes)
  return [bytes === 8 ? Number(value.readBigInt64BE(0)) : value.readIntBE(0, bytes), bytes]
}

function slice(bytes: Buffer, start: number, length: number): Buffer {
  if (start < 0 || length < 0 || start + length > bytes.length) throw new RangeError('outside of its page')
  return bytes.subarray(start, start + length)
}

function varint(bytes: Buffer, at: number): { readonly value: bigint; readonly end: number } {
  let value = 0n
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) throw new RangeError('outside of its page')
    if (index === 8) return { value: BigInt.asIntN(64, (value << 8n) | BigInt(byte)), end: at + 9 }
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  throw new RangeError('no number')
}
