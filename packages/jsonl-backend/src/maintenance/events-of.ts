/** `event 3` or `events 3 to 5`. */
export function eventsOf(from: number, to: number): string {
  return from === to ? `event ${from}` : `events ${from} to ${to}`
}
