import type { EventRow } from './event-row.ts'
import { sealEvent } from './event-row.ts'
import { HEADER_BYTES } from './row-value.ts'
import type { SessionKeys } from './row-keys.ts'
import { sealSegment } from './segment.ts'

/** Events per segment, at most: beyond 64 reading gains nothing more, and readers look no further for the end of one. */
export const SEGMENT_EVENTS = 64
/** A group of this size is sealed early, so that sealing never holds up an append for long. */
const SEGMENT_BYTES = 256 * 1024
/** An event of this size is read as fast alone as in company, so it is never written a second time. */
const LARGE_BYTES = 64 * 1024

/**
 * The rows that wait to be sealed, with their size. Successive tails share one array and each ends at its own `length`,
 * so an append adds to it without copying; a plan that is given up has written behind the end.
 */
export interface Tail {
  readonly rows: EventRow[]
  readonly length: number
  readonly bytes: number
}

const NOTHING: readonly number[] = Object.freeze([])

export const EMPTY_TAIL: Tail = Object.freeze({ rows: Object.freeze([]) as unknown as EventRow[], length: 0, bytes: 0 })

export function tailOf(rows: readonly EventRow[]): Tail {
  return { rows: [...rows], length: rows.length, bytes: rows.reduce((sum, row) => sum + row.value.length, 0) }
}

export interface RowPut {
  readonly seq: number
  readonly value: Buffer
}

export interface SealPlan {
  readonly puts: readonly RowPut[]
  /** Single rows that were written by earlier appends and are now in a segment. */
  readonly deletes: readonly number[]
  readonly sealed: number
  readonly tail: Tail
  readonly bytes: number
}

/**
 * What to write when `added` follows `tail`: full groups become segments at once, the rest stay single rows. Events of
 * this append that end in a segment are never written singly.
 */
export function planSeals(keys: SessionKeys, sealedBefore: number, tail: Tail, added: readonly EventRow[]): SealPlan {
  const [only] = added
  if (added.length === 1 && only !== undefined && isUsual(tail, only)) return planUsual(keys, sealedBefore, tail, only)
  const puts: RowPut[] = []
  const deletes: number[] = []
  const firstAdded = added[0]?.seq ?? Infinity
  let sealed = sealedBefore
  let bytes = 0
  const isUngrouped = holdsSegments(tail)
  let { rows, length, bytes: groupBytes } = tail.length === 0 || isUngrouped ? { ...EMPTY_TAIL, rows: [] } : tail
  let firstSingle = length

  const close = (): void => {
    const group = rows.slice(0, length)
    const last = group.at(-1)
    if (last === undefined) return
    if (group.length === 1) {
      if (last.seq >= firstAdded) puts.push({ seq: last.seq, value: sealEvent(keys, last) })
    } else {
      puts.push({ seq: last.seq, value: sealSegment(keys, group) })
      for (const row of group) if (row.seq < firstAdded && row !== last) deletes.push(row.seq)
    }
    sealed = last.seq
    rows = []
    length = 0
    firstSingle = 0
    groupBytes = 0
  }

  const take = (row: EventRow): void => {
    const size = row.value.length
    if (size >= LARGE_BYTES) close()
    rows[length] = row
    length += 1
    groupBytes += size
    if (size >= LARGE_BYTES || length >= SEGMENT_EVENTS || groupBytes >= SEGMENT_BYTES) close()
  }

  if (isUngrouped) {
    for (const row of tail.rows.slice(0, tail.length)) take(row)
    firstSingle = length
  }
  for (const row of added) {
    bytes += row.value.length - HEADER_BYTES
    take(row)
  }
  for (let index = firstSingle; index < length; index += 1) {
    const row = rows[index] as EventRow
    puts.push({ seq: row.seq, value: sealEvent(keys, row) })
  }
  return { puts, deletes, sealed, tail: { rows, length, bytes: groupBytes }, bytes }
}

/** One event more that fills no group. */
function isUsual(tail: Tail, { value }: EventRow): boolean {
  return tail.length + 1 < SEGMENT_EVENTS && tail.bytes + value.length < LARGE_BYTES
}

/** What {@link planSeals} comes to for it, at a fraction of the cost. */
function planUsual(keys: SessionKeys, sealed: number, tail: Tail, row: EventRow): SealPlan {
  const { length } = tail
  const rows = length === 0 ? [] : tail.rows
  rows[length] = row
  const { seq, value } = row
  const puts = [{ seq, value: sealEvent(keys, row) }]
  const longer = { rows, length: length + 1, bytes: tail.bytes + value.length }
  return { puts, deletes: NOTHING, sealed, tail: longer, bytes: value.length - HEADER_BYTES }
}

/** Rows that were written while the tail was not in memory: some of them should have been sealed, or left alone. */
function holdsSegments({ rows, length, bytes }: Tail): boolean {
  if (length >= SEGMENT_EVENTS || bytes >= SEGMENT_BYTES) return true
  return bytes >= LARGE_BYTES && rows.slice(0, length).some(({ value }) => value.length >= LARGE_BYTES)
}
