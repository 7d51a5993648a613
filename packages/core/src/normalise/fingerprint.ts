/** Characters of a string that are looked at; the length tells most strings apart. */
const SAMPLES = 16

/** A number that is the same for values with the same JSON text and seldom for others, at a fraction of a full hash. */
export function fingerprint(value: unknown): number {
  return mix(value, 17) >>> 0
}

function mix(value: unknown, seed: number): number {
  if (typeof value === 'string') return mixString(value, seed)
  if (typeof value === 'number') return Math.imul(seed ^ (value | 0) ^ Math.floor(value * 1024), 16777619)
  if (typeof value !== 'object' || value === null) return Math.imul(seed ^ (value === true ? 3 : 5), 16777619)
  let hash = seed
  if (Array.isArray(value)) {
    for (const item of value) hash = mix(item, hash)
    return Math.imul(hash ^ value.length, 16777619)
  }
  for (const key of Object.keys(value)) hash = mix((value as Record<string, unknown>)[key], mixString(key, hash))
  return hash
}

function mixString(text: string, seed: number): number {
  let hash = Math.imul(seed ^ text.length, 16777619)
  const step = Math.max(1, Math.floor(text.length / SAMPLES))
  for (let i = 0; i < text.length; i += step) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return hash
}
