import type { Head, Json } from '@turnlog/core/backend'

/** What a session file holds for certain: everything up to the end of its last whole batch. */
export interface Committed {
  readonly session: string
  readonly head: Omit<Head, 'projection'>
  /** JSON of the projection. Kept as text, so that it cannot be changed and each caller gets its own object. */
  readonly projectionText: string
  /** Seq of the first event line of the file. */
  readonly base: number
  /** Where the first event line begins. */
  readonly dataStart: number
  /** Where the first readable line begins; only nearly, if a person edited lines after it. */
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
