/** The seq of the event that carries a message. */
export type Position = number

/** Two positions; every message recorded between them, ends included, is in the view. */
export type Run = readonly [from: Position, to: Position]

/** What a run says about one message: where it is, and which recorded message comes right before it in the log. */
export interface RunEntry {
  readonly position: Position
  /** Position of the message recorded before this one, -1 where that part of the log was not read. */
  readonly previous: Position
}

/**
 * The shortest runs that name exactly these entries in this order. Two neighbours share a run only if it is known that
 * no other message was recorded between them: a run that is too short costs bytes, one that is too long brings back
 * a message that was cut.
 */
export function runsOf(entries: readonly RunEntry[], length: number = entries.length): Run[] {
  const runs: Run[] = []
  let from = 0
  let to = 0
  for (let i = 0; i < length; i++) {
    const { position, previous } = entries[i] as RunEntry
    if (to !== 0 && (position === to + 1 || previous === to)) {
      to = position
      continue
    }
    if (to !== 0) runs.push([from, to])
    from = position
    to = position
  }
  if (to !== 0) runs.push([from, to])
  return runs
}

/** What runs take in the log. */
export function runBytes(runs: readonly Run[]): number {
  return JSON.stringify(runs).length
}
