/** What one step of a sweep did. */
export interface SweepResult {
  /** Sessions and traces of deleted ones that it looked at. */
  readonly sessions: number
  /** Sessions deleted because nobody had used them for as long as `expire` says. */
  readonly expired: number
  /** Traces of deleted sessions that were erased. */
  readonly tracesErased: number
  /** Sessions from which events were removed. */
  readonly compacted: number
  readonly eventsRemoved: number
  /** Sessions that could not be worked on; a warning tells more of each. */
  readonly failed: number
  /** The wall clock has jumped, so nothing was removed for its age. */
  readonly clockJumped: boolean
  /** The last session was reached; the next step begins with the first. */
  readonly done: boolean
}
