import type { EventRow } from './event-row.ts'
import { sealEvent, sealSegment } from './event-row.ts'
import { HEADER_BYTES } from './row-value.ts'
import type { SessionKeys } from './row-keys.ts'

/** Events per segment: beyond 64 reading gains nothing more, and rewriting costs more. */
export const SEGMENT_EVENTS = 64
/** A group of this size is sealed early, so that sealing never holds up an append for long. */
const SEGMENT_BYTES = 256 * 1024
/** An event of this size is read as fast alone as in company, so it is never written a second time. */
const LARGE_BYTES = 64 * 1024

export interface RowPut {
  readonly seq: number
  readonly value: Buffer
}

export interface SealPlan {
  readonly puts: readonly RowPut[]
  /** Single rows that were written by earlier appends and are now in a segment. */
  readonly deletes: readonly number[]
  readonly sealed: number
  readonly tail: readonly EventRow[]
  readonly bytes: number
}

/**
 * What to write when `added` follows `tail`: full groups become segments at once, the rest stay single rows. Events of
 * this append that end in a segment are never written singly.
 */
export function planSeals(
  keys: SessionKeys,
  sealedBefore: number,
  tail: readonly EventRow[],
  added: readonly EventRow[],
): SealPlan {
  const puts: RowPut[] = []
  const deletes: number[] = []
  const firstAdded = added[0]?.seq ?? Infinity
  let sealed = sealedBefore
  let bytes = 0
  let group = [...tail]
  let groupBytes = tail.reduce((sum, row) => sum + row.value.length, 0)

  const close = (): void => {
    const last = group.at(-1)
    if (last === undefined) return
    if (group.length === 1) {
      if (last.seq >= firstAdded) puts.push({ seq: last.seq, value: sealEvent(keys, last) })
    } else {
      puts.push({ seq: last.seq, value: sealSegment(keys, group) })
      for (const row of group) if (row.seq < firstAdded && row !== last) deletes.push(row.seq)
    }
    sealed = last.seq
    group = []
    groupBytes = 0
  }

  for (const row of added) {
    const size = row.value.length
    bytes += size - HEADER_BYTES
    if (size >= LARGE_BYTES) close()
    group.push(row)
    groupBytes += size
    if (size >= LARGE_BYTES || group.length >= SEGMENT_EVENTS || groupBytes >= SEGMENT_BYTES) close()
  }
  for (const row of group) if (row.seq >= firstAdded) puts.push({ seq: row.seq, value: sealEvent(keys, row) })
  return { puts, deletes, sealed, tail: group, bytes }
}
