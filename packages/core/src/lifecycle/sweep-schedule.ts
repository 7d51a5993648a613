/** When the sweeper runs by itself. */
export interface SweepSchedule {
  /**
   * From the end of one sweep to the next, and the least between the two sweeps that have to find a session idle before
   * it expires. A sweep reads the head of every session.
   * @default 10 minutes
   */
  readonly intervalMs?: number
  /** Lengthens each interval by a random share of it, up to this one, so that many stores do not sweep in step. @default 0.1 */
  readonly jitter?: number
}
