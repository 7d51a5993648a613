import type { Clock } from '../runtime/clock.ts'

/** What the clocks may drift apart before it counts as a jump: a minute, and this share of the time that has passed. */
const TOLERANCE_MS = 60_000
const TOLERANCE_SHARE = 0.0005

/**
 * Tells whether the time of day can be believed: it must have gone on as far as the monotonic clock since the store
 * was opened. A wall clock that jumps a year ahead would otherwise make every session look abandoned. It is believed
 * again when it comes back, or when the store is opened anew.
 */
export class ClockGuard {
  readonly #clock: Required<Clock>
  readonly #wallStart: number
  readonly #monotonicStart: number

  constructor(clock: Required<Clock>) {
    this.#clock = clock
    this.#wallStart = clock.now()
    this.#monotonicStart = clock.monotonic()
  }

  /** How far the wall clock is ahead of where it should be; 0 if that is within what clocks drift. */
  get jumpMs(): number {
    const elapsed = this.#clock.monotonic() - this.#monotonicStart
    const drift = this.#clock.now() - this.#wallStart - elapsed
    return Math.abs(drift) > TOLERANCE_MS + elapsed * TOLERANCE_SHARE ? drift : 0
  }
}
