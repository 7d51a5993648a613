import type { Json } from '../json/json.ts'

/** The value itself if nobody can change it any more, otherwise a copy that nobody can change. */
export function sealed<T>(value: T): T {
  return isSealed(value as Json) ? value : (sealedCopy(value as Json) as T)
}

function isSealed(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (!Object.isFrozen(value)) return false
  return Object.values(value).every(isSealed)
}

function sealedCopy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(sealedCopy))
  const copy: Record<string, Json> = {}
  for (const [key, child] of Object.entries(value)) {
    if (key !== '__proto__') copy[key] = sealedCopy(child)
    // Assigning would call a setter instead of making a property.
    else Object.defineProperty(copy, key, { value: sealedCopy(child), enumerable: true })
  }
  return Object.freeze(copy)
}
