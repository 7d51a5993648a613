/**
 * Removes what has left the view, where it is worth it. Without `retention` it goes as soon as both limits are reached;
 * with it, only what `retention` does not protect any more.
 */
export interface AutoCompactPolicy {
  /** The share of a session's bytes that must be dead, from 0 to 1. Lower keeps the store smaller and copies more. */
  readonly deadRatio: number
  /** The fewest dead bytes that are worth it. Lower keeps the store smaller and writes more. */
  readonly minBytes: number
}
