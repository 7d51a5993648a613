import { LRUCache } from 'lru-cache'

/**
 * Values by key, of which those that were not used for longest leave when there are too many. `LRUCache` alone would
 * also drop what is in use; here that stays, however much it is.
 */
export class LruMap<V extends object> {
  readonly #values = new LRUCache<string, V>({ maxSize: Number.MAX_SAFE_INTEGER, sizeCalculation: () => 1 })
  readonly #isInUse: (value: V) => boolean

  constructor(isInUse: (value: V) => boolean) {
    this.#isInUse = isInUse
  }

  get size(): number {
    return this.#values.size
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    this.#values.set(key, value)
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }

  values(): V[] {
    return [...this.#values.values()]
  }

  /** Removes values that are not in use until there are no more than `keep`, or all others are in use. */
  shrink(keep: number, onRemoved?: (value: V) => void): void {
    if (this.#values.size <= keep) return
    for (const key of this.#values.rkeys()) {
      if (this.#values.size <= keep) return
      const value = this.#values.peek(key)
      if (value === undefined || this.#isInUse(value)) continue
      this.#values.delete(key)
      onRemoved?.(value)
    }
  }
}
