import type { Head } from '../backend/backend.ts'
import type { Projection } from './projection.ts'

/**
 * About how many bytes of a session's log its view has no use for. The text of the messages is known; everything else
 * that the log takes is shared out equally among its events.
 */
export function deadBytes({ first, last, bytes }: Head, { messages, bytes: live, recordedBytes }: Projection): number {
  const events = last - first + 1
  if (events <= 0) return 0
  const deadText = Math.max(0, recordedBytes - live)
  const perEvent = Math.max(0, bytes - recordedBytes) / events
  return Math.min(bytes, Math.round(deadText + Math.max(0, events - messages) * perEvent))
}
