import { setImmediate } from 'node:timers/promises'

import type { HeadRow } from '../format/head-row.ts'
import { encodeHead } from '../format/head-row.ts'
import type { RowPut, SegmentPut } from './seal-plan.ts'
import { sealSegment } from '../format/segment.ts'
import type { CachedSession } from '../cache/cached-session.ts'
import { COUNTER_KEY, encodeCounter } from '../format/store-rows.ts'
import type { WritableStore } from '../open/open-to-write.ts'

/** One change of one session, waiting to be written. */
export interface Change {
  readonly state: CachedSession
  /** The head after it; `undefined` if it removes the session. */
  readonly after: HeadRow | undefined
  readonly puts: readonly RowPut[]
  readonly segments: readonly SegmentPut[]
  readonly deletes: readonly number[]
  /** 1 if it makes the session, -1 if it removes it. */
  readonly sessions: -1 | 0 | 1
  readonly bytes: number
  /** The head row is left alone. */
  readonly keepsHead?: boolean
}

/** A change that only deletes rows. */
export function deletionOf(state: CachedSession, after: HeadRow | undefined, deletes: readonly number[]): Change {
  return { state, after, puts: [], segments: [], deletes, sessions: 0, bytes: deletes.length * ROW_BYTES }
}

/** Changes that are written by one batch, and so share one outcome. */
class Group {
  readonly changes: Change[] = []
  bytes = 0
  readonly settled: Promise<void>
  resolve!: () => void
  reject!: (error: unknown) => void

  constructor() {
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

/** What group commit needs of an open store. */
export type CommitStore = Pick<WritableStore, 'database' | 'fence' | 'acknowledged' | 'watermark' | 'preallocation'>

/** What the deletion of a row takes in a batch. */
const ROW_BYTES = 16
/** A batch is held in memory twice while it is written. */
const GROUP_BYTES = 4 * 1024 * 1024

/**
 * Group commit: everything that waits, of all sessions, goes into one batch, and one batch is under way at a time.
 *
 * Those who are answered often ask again at once. If others wait meanwhile, the next batch is begun a turn of the event
 * loop later, so that both go into it: else the callers would take turns in two groups that never meet again, and the
 * disk would sync twice as often.
 *
 * Invariants
 * - Changes are written in the order in which they came; a change was planned on the state after all before it.
 * - A promise resolves only after its batch is durable and the watermark has been told.
 * - If a batch fails, it and everything that waits behind it is rejected: what waits was planned on what failed. Each
 *   session's tip then falls back to what is settled, so that nothing is ever compared with an append that failed.
 * - `settled` and `acknowledged` change here and nowhere else, before the promises resolve.
 */
export class GroupCommit {
  readonly #store: CommitStore
  readonly #sync: boolean
  #queue: Group[] = []
  #running: Promise<void> | undefined

  constructor(store: CommitStore, sync: boolean) {
    this.#store = store
    this.#sync = sync
  }

  add(change: Change): Promise<void> {
    change.state.pending++
    change.state.tip = change.after
    let group = this.#queue.at(-1)
    if (group === undefined || group.bytes + change.bytes > GROUP_BYTES) this.#queue.push((group = new Group()))
    group.changes.push(change)
    group.bytes += change.bytes
    // Deferred by one turn of the microtask queue, so that appends made together are written together.
    this.#running ??= Promise.resolve().then(() => this.#run())
    return group.settled
  }

  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    for (let group; (group = this.#queue.shift()) !== undefined;) {
      try {
        const ready = this.#store.fence.pass(group.bytes)
        if (ready !== undefined) await ready
      } catch (error) {
        this.#reject(group, error)
        continue
      }
      try {
        await this.#write(group.changes)
      } catch (error) {
        this.#reject(group, this.#store.fence.closeAfter(error))
        continue
      }
      for (const { state, after } of group.changes) {
        state.settled = after
        state.leave()
      }
      group.resolve()
      if (this.#queue.length > 0) await setImmediate()
    }
    this.#running = undefined
  }

  async #write(changes: readonly Change[]): Promise<void> {
    const { database, acknowledged, watermark, preallocation } = this.#store
    const batch = database.reusedBatch()
    const heads = new Map<CachedSession, HeadRow | undefined>()
    let { sessions } = acknowledged.counter
    for (const change of changes) {
      const { keys } = change.state
      for (const { seq, value } of change.puts) batch.put(keys.event(seq), value)
      for (const { first, events } of change.segments) {
        const value = sealSegment(keys, first, events)
        batch.put(keys.event(first + events.length - 1), value)
        events.store.release()
      }
      for (const seq of change.deletes) batch.del(keys.event(seq))
      if (change.keepsHead !== true) heads.set(change.state, change.after)
      sessions += change.sessions
    }
    for (const [{ keys }, head] of heads) {
      if (head === undefined) batch.del(keys.head)
      else batch.put(keys.head, encodeHead(keys.headSum, head))
    }
    const counter = { batches: acknowledged.counter.batches + 1, sessions }
    batch.put(COUNTER_KEY, encodeCounter(counter))
    const free = preallocation?.clear(batch.logBytes)
    if (free !== undefined) await free
    await batch.write(this.#sync)
    acknowledged.counter = counter
    try {
      watermark.write(counter.batches)
    } catch {
      // The batch is durable, and a watermark that is behind accuses nobody. The next batch writes it again.
    }
    preallocation?.extend()
  }

  #reject(group: Group, error: unknown): void {
    const failed = [group, ...this.#queue]
    this.#queue = []
    const changes = failed.flatMap((each) => each.changes)
    for (const { state } of changes) state.rollBack()
    for (const { state } of changes) state.leave()
    for (const { reject } of failed) reject(error)
  }
}
