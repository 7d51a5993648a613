import type { EventRecord, Expected } from '@turnlog/core/backend'

/** An append on its way to the thread that has the database: texts, because those are cheap to hand over. */
export interface AppendRequest {
  readonly session: string
  readonly expected: Expected
  /** What is known of the events without reading their texts. */
  readonly events: readonly Pick<EventRecord, 'seq'>[]
  /** The JSON text of each event. */
  readonly texts: readonly string[]
  readonly bytes: number
  readonly projection: string
  readonly trimBefore: number | undefined
  readonly isImport: boolean
}
