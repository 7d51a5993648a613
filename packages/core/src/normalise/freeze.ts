/** The same value, which nobody can change any more. */
export function frozen<T extends object>(value: T): T {
  if (!Object.isFrozen(value)) freezeAndMeasure(value)
  return value
}

/**
 * Freezes a value that came out of a backend and says about how long its JSON text is, in one walk.
 * Backends hand out plain JSON, so nothing has to be checked. Counts as `normaliseJson` does, so that a state that was
 * loaded equals the one that was written.
 */
export function freezeAndMeasure(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value === 'number') return 8
  if (typeof value !== 'object' || value === null) return value === null ? 4 : 5
  let bytes = 2
  if (Array.isArray(value)) {
    for (const item of value) bytes += freezeAndMeasure(item) + 1
  } else {
    for (const key of Object.keys(value)) {
      bytes += key.length + 4 + freezeAndMeasure((value as Record<string, unknown>)[key])
    }
  }
  Object.freeze(value)
  return bytes
}
