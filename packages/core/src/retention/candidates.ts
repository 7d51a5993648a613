import type { Clock } from '../runtime/clock.ts'

/** More than these are left for later sweeps. */
const MAX_CANDIDATES = 10_000

interface Sighting {
  readonly version: number
  readonly atMs: number
}

/**
 * What may be deleted once it has been found so twice, an interval apart and without a change in between: a clock that
 * was wrong for a moment then deletes nothing. Measured by the monotonic clock.
 */
export class Candidates {
  readonly #clock: Required<Clock>
  readonly #intervalMs: number
  #seen = new Map<string, Sighting>()
  /** Those of {@link #seen} that the sweep under way has met. */
  #met = new Map<string, Sighting>()

  constructor(clock: Required<Clock>, intervalMs: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
  }

  /** Notes that a session could go. @returns whether it has been so for long enough */
  confirm(key: string, version: number): boolean {
    const now = this.#clock.monotonic()
    const earlier = this.#seen.get(key)
    const sighting = earlier?.version === version ? earlier : { version, atMs: now }
    if (earlier !== undefined || this.#seen.size < MAX_CANDIDATES) {
      this.#seen.set(key, sighting)
      this.#met.set(key, sighting)
    }
    return sighting === earlier && now - sighting.atMs >= this.#intervalMs
  }

  /** Everything has been looked at: what was not met is in use again, or gone. */
  endSweep(): void {
    this.#seen = this.#met
    this.#met = new Map()
  }

  clear(): void {
    this.#seen.clear()
    this.#met.clear()
  }
}
