/** Events that follow each other. */
export interface EventRun {
  readonly from: number
  readonly to: number
}

/** `event 3` or `events 3 to 5`. */
export function eventsOf(from: number, to: number): string {
  return from === to ? `event ${from}` : `events ${from} to ${to}`
}
