import type { EventRecord, Json } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'

/** Events turned into text before other work has its turn: a few milliseconds. */
export const EVENTS_AT_ONCE = 500

/** @throws `TOO_LARGE` */
export function stringify(value: EventRecord | Json, session: string): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new StoreError(
      'TOO_LARGE',
      `Cannot append to session ${JSON.stringify(session)}: an event is too large or too deeply nested for JSON.stringify. Split it.`,
      { session, cause: error },
    )
  }
}
