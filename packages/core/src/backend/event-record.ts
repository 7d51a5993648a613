import type { Json } from '../json/json.ts'

/**
 * One event as it is stored. The envelope is fixed; every other field belongs to the event's type and is opaque to a
 * backend, which returns the record exactly as it was given: all fields, in their order, with their values.
 */
export interface EventRecord {
  /** Place in the session: 1, 2, 3 and so on, without gaps. */
  readonly seq: number
  /** Unique; made by core before the append, so that a repeated append can be recognised. */
  readonly id: string
  readonly type: string
  /** Schema version of this type. */
  readonly v: number
  /** Milliseconds since 1970. Information only: order is by `seq`. */
  readonly at: number
  /** The caller's operation id. */
  readonly op?: string
  readonly [field: string]: Json | undefined
}
