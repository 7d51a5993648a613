import type { Retry } from '../model/operation.ts'
import type { StorePlace } from './make-backend.ts'

/** What a writer child is told to do. */
export interface WriterTask extends StorePlace {
  readonly journal: string
  readonly seed: number
  /** Part of every message id, so that no two lives of a store use one twice. */
  readonly tag: string
  readonly lanes: number
  /** Operations per lane, then close and end. @default until killed */
  readonly operations?: number
  /** Read every log and compare it with everything derived from it before writing. */
  readonly verify: boolean
  /** After these operations, so many plain appends; used where errors were injected before. @default 0 */
  readonly thenAppend?: number
  /** Calls of the life before that nobody answered, to be made again first. @default none */
  readonly retries?: readonly Retry[]
  /** Appends, and now and then a cut and a compaction, one call at a time. @default every operation there is */
  readonly calm?: boolean
}
