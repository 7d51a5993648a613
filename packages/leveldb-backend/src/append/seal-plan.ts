import type { EventRow } from '../format/event-row.ts'
import { sealEvent } from '../format/event-row.ts'
import { HEADER_BYTES } from '../format/row-value.ts'
import type { SessionKeys } from '../format/row-keys.ts'
import { SEGMENT_EVENTS } from '../format/segment.ts'
import { addToTail, emptyTail, rowsOf, tailAfter } from '../format/tail.ts'
import type { Tail } from '../format/tail.ts'

/** A group of this size is sealed early, so that sealing never holds up an append for long. */
const SEGMENT_BYTES = 256 * 1024
/** An event of this size is read as fast alone as in company, so it is never written a second time. */
const LARGE_BYTES = 64 * 1024

export interface RowPut {
  readonly seq: number
  readonly value: Buffer
}

/** Its value is made when it is written: until then it would be held twice. */
export interface SegmentPut {
  readonly first: number
  readonly events: Tail
}

export interface SealPlan {
  readonly puts: readonly RowPut[]
  /** Nothing else uses the memory of their events. */
  readonly segments: readonly SegmentPut[]
  /** Single rows that were written by earlier appends and are now in a segment. */
  readonly deletes: readonly number[]
  readonly sealed: number
  /** `undefined` if it was not given, either. */
  readonly tail: Tail | undefined
  /** Of the payloads of the events. */
  readonly bytes: number
}

const NOTHING: readonly never[] = Object.freeze([])

/** Whether these events, behind a tail, fill no segment. */
export function fillsNone(tail: Tail, added: readonly EventRow[]): boolean {
  const bytes = tail.bytes + payloadBytes(added)
  if (tail.length + added.length >= SEGMENT_EVENTS || bytes >= SEGMENT_BYTES) return false
  return bytes < LARGE_BYTES || !(added.some(isLarge) || holdsLarge(tail))
}

/** Single rows, to be sealed another time. */
export function planSingles(
  keys: SessionKeys,
  sealed: number,
  tail: Tail | undefined,
  added: readonly EventRow[],
): SealPlan {
  return {
    puts: added.map((row) => singleRow(keys, row)),
    segments: NOTHING,
    deletes: NOTHING,
    sealed,
    tail: tail === undefined ? undefined : added.reduce(addToTail, tail),
    bytes: payloadBytes(added),
  }
}

/**
 * What to write when `added` follows `tail`: full groups become segments at once, the rest stay single rows. Events of
 * this append that end in a segment are never written singly.
 */
export function planSeals(keys: SessionKeys, sealedBefore: number, tail: Tail, added: readonly EventRow[]): SealPlan {
  const puts: RowPut[] = []
  const segments: SegmentPut[] = []
  const deletes: number[] = []
  const firstAdded = added[0]?.seq ?? Infinity
  const isUngrouped = holdsSegments(tail)
  let sealed = sealedBefore
  let group = isUngrouped ? emptyTail() : tail
  /** Those of the group that came here one by one. */
  let taken: EventRow[] = []

  const writeSingly = (rows: readonly EventRow[]): void => {
    for (const row of rows) if (row.seq >= firstAdded) puts.push(singleRow(keys, row))
  }

  const close = (): void => {
    const { length } = group
    const last = sealed + length
    if (length > 1) {
      segments.push({ first: sealed + 1, events: group })
      for (let seq = sealed + 1; seq < Math.min(last, firstAdded); seq++) deletes.push(seq)
    } else writeSingly(taken)
    sealed = last
    taken = []
    if (length > 0) group = tailAfter(group)
  }

  const take = (row: EventRow): void => {
    if (isLarge(row)) {
      close()
      writeSingly([row])
      sealed = row.seq
      return
    }
    group = addToTail(group, row)
    taken.push(row)
    if (group.length >= SEGMENT_EVENTS || group.bytes >= SEGMENT_BYTES) close()
  }

  if (isUngrouped) for (const row of rowsOf(tail, sealedBefore + 1)) take(row)
  for (const row of added) take(row)
  writeSingly(taken)
  return { puts, segments, deletes, sealed, tail: group, bytes: payloadBytes(added) }
}

function singleRow(keys: SessionKeys, row: EventRow): RowPut {
  return { seq: row.seq, value: sealEvent(keys, row) }
}

function payloadBytes(rows: readonly EventRow[]): number {
  return rows.reduce((sum, row) => sum + sizeOf(row), 0)
}

function sizeOf({ value }: EventRow): number {
  return value.length - HEADER_BYTES
}

export function isLarge(row: EventRow): boolean {
  return sizeOf(row) >= LARGE_BYTES
}

/** Rows that were written while the tail was not in memory: some of them should have been sealed, or left alone. */
function holdsSegments(tail: Tail): boolean {
  return tail.length >= SEGMENT_EVENTS || tail.bytes >= SEGMENT_BYTES || holdsLarge(tail)
}

function holdsLarge({ store, length, bytes }: Tail): boolean {
  if (bytes < LARGE_BYTES) return false
  for (let index = 0; index < length; index++) if (store.lengthOf(index) >= LARGE_BYTES) return true
  return false
}
