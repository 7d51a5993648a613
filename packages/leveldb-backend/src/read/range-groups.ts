import type { Range } from '@turnlog/core/backend'

import type { HeadRow } from '../format/head-row.ts'
import { SEGMENT_EVENTS } from '../format/segment.ts'
import { segmentHops } from './segment-rows.ts'

/** Groups that are asked for at the same time, each by a hop of its own. */
export const GROUPS_AT_ONCE = 4

/** Ranges so near to each other that they are read together, in the direction of reading. */
export type RangeGroup = readonly Range[]

/**
 * After a cut a view is made of ranges with an event or two between them, often in one segment: an iterator for each
 * would read and check that segment once for each. What is sealed and what is not are found in different ways, so no
 * group has both.
 */
export function groupRanges(ranges: readonly Range[], { sealed }: HeadRow, reverse: boolean): readonly RangeGroup[] {
  if (reverse) return ranges.map((range) => [range])
  const groups: Range[][] = []
  for (const range of ranges.flatMap((each) => splitBehind(each, sealed))) {
    const group = groups.at(-1)
    const end = group?.at(-1)?.to
    const isNear = end !== undefined && range.from - end <= SEGMENT_EVENTS && end <= sealed === range.to <= sealed
    if (group !== undefined && isNear) group.push(range)
    else groups.push([range])
  }
  return groups
}

function splitBehind(range: Range, sealed: number): readonly Range[] {
  const { from, to } = range
  if (to <= sealed || from > sealed) return [range]
  return [
    { from, to: sealed },
    { from: sealed + 1, to },
  ]
}

/**
 * Whether LevelDB is asked for everything before the first events are given: then no snapshot must hold it together. A
 * segment that is not where it is expected is asked for again when that is known, in time only in the first group.
 */
export function isAskedAtOnce(groups: readonly RangeGroup[], head: HeadRow): boolean {
  if (groups.length > GROUPS_AT_ONCE) return false
  return groups.every((group, index) => !isSealed(group, head) || (index === 0 && segmentHops(group, head.sealed) <= 1))
}

export function isSealed(group: RangeGroup, { sealed }: HeadRow): boolean {
  return (group.at(-1)?.to ?? Infinity) <= sealed
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
