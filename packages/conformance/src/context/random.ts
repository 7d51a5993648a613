/** A seeded generator (mulberry32): the same seed gives the same run on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** Both ends belong to it. */
  integer(min: number, max: number): number {
    return min + this.below(max - min + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T // never empty: every caller passes a literal or a checked list
  }

  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items]
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.integer(0, i)
      const moved = shuffled[i] as T
      shuffled[i] = shuffled[j] as T
      shuffled[j] = moved
    }
    return shuffled
  }

  /** For a generator of its own. */
  seed(): number {
    return this.below(2 ** 32)
  }

  /** Letters and digits, so that a text can be searched for in a file of any format. */
  word(length: number): string {
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
    return Array.from({ length }, () => letters[this.below(letters.length)]).join('')
  }
}

/** A seed of its own for each case, so that a case runs the same alone and among others. */
export function seedOf(seed: number, id: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0
  return hash
}
