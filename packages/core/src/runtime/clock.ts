/** Where the store takes the time from. Tests give their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Milliseconds since any moment, that never jump. Expiry trusts `now` only while both go on together.
   * @default `performance.now()`
   */
  monotonic?(): number
  /**
   * Calls `task` once, so many milliseconds from now, and gives a function that calls it off. The sweeper and the
   * retries of `onOverflow` wait by it.
   * @default `setTimeout`, without keeping the process alive
   */
  schedule?(task: () => void, afterMs: number): () => void
}
