import type { EventRecord } from '@turnlog/core/backend'

export interface ModelSession {
  readonly incarnation: string
  readonly first: number
  readonly last: number
  readonly events: readonly EventRecord[]
  readonly projection: number
}

/** What a store is, without files, processes or time. Nothing is shared: a change replaces a session. */
export interface Model {
  sessions: Map<string, ModelSession>
  /** Makes each event, incarnation and projection different from every other. */
  counter: number
}

export function emptyModel(): Model {
  return { sessions: new Map(), counter: 0 }
}
