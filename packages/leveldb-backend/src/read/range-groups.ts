import type { Range } from '@turnlog/core/backend'

import { SEGMENT_EVENTS } from '../append/seal-plan.ts'
import type { HeadRow } from '../format/head-row.ts'
import { keyedHops } from './keyed-rows.ts'

/** Groups that are asked for at the same time. */
export const GROUPS_AT_ONCE = 4

/** Ranges so near to each other that they are read together, in the direction of reading. */
export type RangeGroup = readonly Range[]

/**
 * After a cut a view is made of ranges with an event or two between them, often in one segment: to read each by itself
 * would read and check that segment once for each.
 */
export function groupRanges(ranges: readonly Range[], reverse: boolean): readonly RangeGroup[] {
  if (reverse) return ranges.map((range) => [range])
  const groups: Range[][] = []
  for (const range of ranges) {
    const group = groups.at(-1)
    const end = group?.at(-1)?.to
    if (group !== undefined && end !== undefined && range.from - end <= SEGMENT_EVENTS) group.push(range)
    else groups.push([range])
  }
  return groups
}

/**
 * Whether LevelDB is asked for everything before the first events are given: then no snapshot must hold it together.
 * Forwards, a row that is not under the expected key is asked for again when that is known, which is in time only in
 * the first group.
 */
export function isAskedAtOnce(groups: readonly RangeGroup[], { sealed }: HeadRow, reverse: boolean): boolean {
  if (reverse) return groups.length <= GROUPS_AT_ONCE
  const [only = []] = groups
  return groups.length <= 1 && keyedHops(only, sealed).length <= 1
}

/** How many rows can hold it: each holds at least one event of it, or one between its ranges. */
export function maxRows(group: RangeGroup): number {
  return (group.at(-1)?.to ?? 0) - (group[0]?.from ?? 0) + 1
}

/** The first (or last) `limit` events of the ranges: they are contiguous, so this is arithmetic. */
export function limitRanges(ranges: readonly Range[], reverse: boolean, limit: number = Infinity): readonly Range[] {
  const limited: Range[] = []
  let left = limit
  for (const { from, to } of reverse ? ranges.toReversed() : ranges) {
    if (left <= 0) break
    const count = Math.min(left, to - from + 1)
    limited.push(reverse ? { from: to - count + 1, to } : { from, to: from + count - 1 })
    left -= count
  }
  return limited
}
