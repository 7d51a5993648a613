import type { Database } from '../database/database.ts'
import type { Snapshot } from '../database/lease.ts'
import { afterPrefix, EVENT_ROWS, HEAD_ROWS, SessionKeys } from '../format/row-keys.ts'
import { RowStream } from './row-stream.ts'

/** Heads and events side by side, both in the order of the sessions: of all, of those from one on, or of one. */
export class StoreWalk {
  readonly heads: RowStream
  readonly events: RowStream
  readonly snapshot: Snapshot | undefined
  readonly #database: Database

  constructor(database: Database, { from, only }: { readonly from?: string; readonly only?: string | undefined } = {}) {
    this.#database = database
    this.snapshot = database.snapshot()
    const first = only ?? from
    const keys = first === undefined ? undefined : new SessionKeys(first)
    const heads = keys === undefined ? HEAD_ROWS : { ...HEAD_ROWS, gte: keys.head }
    const events = keys === undefined ? EVENT_ROWS : { ...EVENT_ROWS, gte: keys.eventCopy(0) }
    this.heads = new RowStream(
      database,
      only === undefined ? heads : { ...heads, lt: afterPrefix(heads.gte) },
      this.snapshot,
    )
    this.events = new RowStream(
      database,
      only === undefined ? events : { ...events, lt: afterPrefix(events.gte.subarray(0, -8)) },
      this.snapshot,
    )
  }

  /** All that was read so far is from one time. An erasure or a reopening ends that. */
  get isOfOneTime(): boolean {
    return this.#database.isValid(this.snapshot)
  }

  async close(): Promise<void> {
    await this.heads.close()
    await this.events.close()
    await this.#database.endSnapshot(this.snapshot)
  }
}
