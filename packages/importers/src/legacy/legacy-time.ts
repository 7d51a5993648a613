/**
 * A time as legacy files write it: RFC 3339 text, in some tools milliseconds. `undefined` for what is missing or says
 * nothing, such as Go's zero time in the year 1.
 */
export function legacyTime(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : value
  return typeof ms === 'number' && Number.isFinite(ms) && ms > 0 ? Math.trunc(ms) : undefined
}
