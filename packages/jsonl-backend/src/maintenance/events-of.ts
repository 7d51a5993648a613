/** In words. */
export function eventsOf(from: number, to: number): string {
  return from === to ? `event ${from}` : `events ${from} to ${to}`
}
