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

/** The longest that a timer takes; anything longer would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** A clock with everything that a {@link Clock} may leave out. */
export function fullClock(clock: Clock = Date): Required<Clock> {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic?.() ?? performance.now(),
    schedule: (task, afterMs) => (clock.schedule === undefined ? wait(task, afterMs) : clock.schedule(task, afterMs)),
  }
}

function wait(task: () => void, afterMs: number): () => void {
  const timer = setTimeout(task, Math.min(afterMs, MAX_TIMEOUT_MS))
  // Waiting for the next sweep must not keep a process alive, where the runtime lets a timer be ignored.
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearTimeout(timer)
}
