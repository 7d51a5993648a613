import type { Operation, Place } from './operation.ts'

/** What a reader saw of a session. */
export interface Sight {
  readonly version: number
  readonly summary: string
  readonly counter: number
  readonly ids: readonly string[]
}

/** A whole log, read from the storage. */
export interface LogSight {
  readonly first: number
  readonly last: number
  readonly contiguous: boolean
  /** Seq and id of every added message. */
  readonly added: readonly (readonly [number, string])[]
}

export interface BeginRecord {
  readonly t: 'begin'
  readonly key: string
  readonly n: number
  readonly op: Operation
  readonly place?: Place
  /** The `operationId` of the call, if it has one. */
  readonly id?: string
  /** Repeats a call of an earlier life: which of those that were not answered, counted from 0. */
  readonly again?: number
}

/** One line of a journal: what a child did and saw, written before and after each call, outside of the store. */
export type JournalRecord =
  | { readonly t: 'opened'; readonly findings: readonly string[] }
  | { readonly t: 'refused'; readonly code: string; readonly message: string }
  | BeginRecord
  | { readonly t: 'done'; readonly key: string; readonly n: number; readonly version?: number }
  | { readonly t: 'failed'; readonly key: string; readonly n: number; readonly code: string; readonly message: string }
  | {
      readonly t: 'saw'
      readonly key: string
      readonly sight: Sight
      readonly log?: LogSight
      /** The last version that was acknowledged when the look began, as far as the looker could know. */
      readonly least?: number
    }
  | { readonly t: 'blind'; readonly key: string; readonly code: string; readonly message: string }
  | { readonly t: 'listed'; readonly keys: readonly string[] }
  | { readonly t: 'verified'; readonly problems: readonly string[] }
  | { readonly t: 'ready' }
  | { readonly t: 'closed' }
  /** `close` rejected. */
  | { readonly t: 'unclosed'; readonly code: string; readonly message: string }
