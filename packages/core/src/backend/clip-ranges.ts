import { StoreError } from '../errors/store-error.ts'
import type { Head, Range, ReadOptions } from './backend.ts'

/**
 * Checks the arguments of `read`, the same for every backend.
 *
 * @throws `INVALID_ARGUMENT`
 */
export function checkRead(ranges: readonly Range[], options: ReadOptions = {}): void {
  let previous = 0
  for (const { from, to } of ranges) {
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 1) {
      throw new StoreError(
        'INVALID_ARGUMENT',
        `Cannot read: [${from}, ${to}] is not a range of seqs, which start at 1.`,
      )
    }
    if (from <= previous) {
      throw new StoreError(
        'INVALID_ARGUMENT',
        `Cannot read: the range at ${from} begins before the one in front of it ends.`,
      )
    }
    previous = Math.max(previous, to, from - 1)
  }
  checkLimit('read', options.limit)
}

/** @throws `INVALID_ARGUMENT` */
export function checkLimit(what: string, limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return
  throw new StoreError('INVALID_ARGUMENT', `Cannot ${what}: limit must be a whole number, 0 or more, got ${limit}.`)
}

/** The parts of the ranges that exist, ascending; those that touch are one, because each costs a seek. */
export function clipRanges(head: Pick<Head, 'first' | 'last'>, ranges: readonly Range[]): Range[] {
  const clipped: { from: number; to: number }[] = []
  for (const range of ranges) {
    const from = Math.max(range.from, head.first)
    const to = Math.min(range.to, head.last)
    if (from > to) continue
    const previous = clipped.at(-1)
    if (previous?.to === from - 1) previous.to = to
    else clipped.push({ from, to })
  }
  return clipped
}
