import { textHash } from '@turnlog/core/backend'
import type { EventRecord, Json } from '@turnlog/core/backend'

/**
 * An export is JSON Lines: a header, then for each session its head, its events and its end, then the end of all.
 * It says the same whichever backend it was made from. Without its last line it was cut off.
 */
export const EXPORT_FORMAT = 'turnlog-export'

/** The version that is written, and the newest that is read. */
export const EXPORT_VERSION = 1

export interface HeaderLine {
  readonly format: typeof EXPORT_FORMAT
  readonly version: number
  /** Texts were replaced by placeholders. */
  readonly redacted: boolean
}

export interface HeadLine {
  readonly session: string
  readonly first: number
  readonly last: number
  readonly incarnation: string
  readonly projection: Json
}

export interface EventLine {
  readonly session: string
  readonly event: EventRecord
}

export interface SessionEndLine {
  readonly session: string
  readonly end: { readonly events: number; readonly checksum: string }
}

export interface EndLine {
  readonly end: { readonly sessions: number }
}

/** A checksum over lines in their order: of the head of a session and its events. */
export class LineChecksum {
  #sum = ''

  add(line: string): void {
    this.#sum = textHash(this.#sum + textHash(line))
  }

  get value(): string {
    return this.#sum
  }
}
