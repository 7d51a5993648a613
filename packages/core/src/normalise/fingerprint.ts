/** Characters of a string that are looked at; the length tells most strings apart. */
const SAMPLES = 8

/** Levels that are looked at; what lies deeper counts by its size. */
const LEVELS = 4

/** A number that is the same for values with the same JSON text and seldom for others, at a fraction of a full hash. */
export function fingerprint(value: unknown): number {
  return mix(value, 17, LEVELS) >>> 0
}

function mix(value: unknown, seed: number, levels: number): number {
  if (typeof value === 'string') return mixString(value, seed)
  if (typeof value === 'number') return Math.imul(seed ^ (value | 0) ^ Math.floor(value * 1024), 16777619)
  if (typeof value !== 'object' || value === null) return Math.imul(seed ^ (value === true ? 3 : 5), 16777619)
  let hash = seed
  if (Array.isArray(value)) {
    if (levels > 0) for (const item of value) hash = mix(item, hash, levels - 1)
    return Math.imul(hash ^ value.length, 16777619)
  }
  const keys = Object.keys(value)
  if (levels > 0) for (const key of keys) hash = mix((value as Record<string, unknown>)[key], hash, levels - 1)
  return Math.imul(hash ^ keys.length, 16777619)
}

function mixString(text: string, seed: number): number {
  const { length } = text
  let hash = Math.imul(seed ^ length, 16777619)
  const step = length <= SAMPLES ? 1 : Math.floor(length / SAMPLES)
  for (let i = length - 1; i >= 0; i -= step) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return hash
}
