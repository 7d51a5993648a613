import type { LeaseOptions, Row } from './lease.ts'

/**
 * What one hop reads. The next hop is under way while this one's rows are decoded, so a long read takes as long as the
 * slower of the two; with 1 MiB, where most reads are one hop, 1,000 messages took 1.6 times as long.
 */
export const HIGH_WATER_MARK_BYTES: number = 128 * 1024
export const MAX_ROWS = 4096

/**
 * Whether a step ended because there is no more, rather than because it was full: then another one, which costs as much
 * as a short read, can be spared.
 */
export function isLastStep(rows: readonly Row[], options: LeaseOptions, limit: number = MAX_ROWS): boolean {
  if (rows.length >= limit) return false
  const { keys = true, values = true } = options
  let bytes = 0
  for (const [key, value] of rows) bytes += (keys ? key.length : 0) + (values ? value.length : 0)
  return bytes <= HIGH_WATER_MARK_BYTES
}
