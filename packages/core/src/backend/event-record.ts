import type { Json } from '../json/json.ts'

/**
 * One event as it is stored. The envelope is fixed; every other field belongs to the event's type and is opaque to a
 * backend, which returns the record exactly as it was given: all fields, in their order, with their values.
 * @case none (a name); append.exact values.envelope values.field-names values.random
 */
export interface EventRecord {
  /** Place in the session: 1, 2, 3 and so on, without gaps. @case append.continues append.invalid.gap */
  readonly seq: number
  /**
   * Unique; made by core before the append, so that a repeated append can be recognised.
   * @case none (a duty of core)
   */
  readonly id: string
  readonly type: string
  /** Schema version of this type. @case none (a name) */
  readonly v: number
  /** Milliseconds since 1970. Information only: order is by `seq`. @case none (a name); append.time-is-information */
  readonly at: number
  /** The caller's operation id. @case append.exact */
  readonly op?: string
  readonly [field: string]: Json | undefined
}
