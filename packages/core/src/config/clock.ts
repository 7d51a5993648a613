/** Where the store takes the time from. Tests give their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}
