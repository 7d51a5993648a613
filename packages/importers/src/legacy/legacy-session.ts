import type { JsonObject } from '@turnlog/core/backend'

/** A message of a legacy session. */
export interface LegacyMessage {
  /** File and line. */
  readonly source: string
  readonly message: JsonObject
  /** Milliseconds; `undefined` if the message does not say. */
  readonly at: number | undefined
}

/** A legacy session, whichever files it comes from. */
export interface LegacySession {
  readonly key: string
  readonly messages: readonly LegacyMessage[]
  /** The first so many messages were truncated: recorded, but not part of the history. */
  readonly truncated: number
  readonly summary: string
  readonly metadata: JsonObject
  readonly createdAt: number
  readonly updatedAt: number
  /** Where it comes from, and every field that has no place elsewhere. Recorded as a note. */
  readonly origin: JsonObject
  /** Lines that are no messages. */
  readonly badLines: readonly BadLine[]
}

export interface BadLine {
  /** In the file, from 1. */
  readonly line: number
  readonly bytes: Uint8Array
}
