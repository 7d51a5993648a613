/**
 * Whether two values have the same JSON text, without making it: same types, same values, same keys in the same order.
 * `a` may be anything a caller passes; what is not plain JSON is never the same.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!sameJson(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b) || Object.getPrototypeOf(a) !== Object.prototype) return false
  const keys = Object.keys(a)
  const others = Object.keys(b)
  if (keys.length !== others.length) return false
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    if (key !== others[i]) return false
    if (!sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) return false
  }
  return true
}
