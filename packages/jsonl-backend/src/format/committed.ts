import type { Head, Json } from '@turnlog/core/backend'

/** What a session file holds for certain: everything up to the end of its last whole batch. */
export interface Committed {
  readonly session: string
  readonly head: Omit<Head, 'projection'>
  /** JSON of the projection. Kept as text, so that nobody can change it and each caller gets an object of its own. */
  readonly projectionText: string
  /** Seq of the first event line of the file. */
  readonly base: number
  /** Where the first event line begins. */
  readonly dataStart: number
  /** Where the first readable line begins; only nearly so, if somebody edited lines after it. */
  readonly liveStart: number
  /** Where the next batch goes. */
  readonly size: number
}

export function headOf({ head, projectionText }: Committed): Head {
  return { ...head, projection: JSON.parse(projectionText) as Json }
}

/** Line of the file, counted from 1, that holds an event. */
export function lineOf(base: number, seq: number): number {
  return seq - base + 2
}
