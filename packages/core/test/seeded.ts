/** A small seeded generator, so that a failing run can be repeated. */
export interface Seeded {
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

export function seeded(seed: number): Seeded {
  let state = (seed ^ 0x9e3779b9) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    below: (end) => Math.floor(next() * end),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number],
  }
}

/** The seed of this run: from the environment, or new and printed. */
export function runSeed(name: string): number {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 0x7fffffff))
  console.log(`${name}: SEED=${seed}`)
  return seed
}
