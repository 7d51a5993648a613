import type { Database } from '../database/database.ts'
import { deletionOf } from '../append/group-commit.ts'
import type { GroupCommit } from '../append/group-commit.ts'
import { rowSeqs } from '../read/row-seqs.ts'
import type { CachedSession } from '../cache/cached-session.ts'

/** Rows deleted in one batch: small beside the appends that it shares the batch with. */
const ROWS_AT_ONCE = 512
/** From this many rows on (segments of up to 256 KB each) the space is worth a compaction of its own. */
const COMPACT_ROWS = 256

/**
 * Carries out trims. The append only moves the logical start; the rows before it are deleted here, in the background,
 * one session at a time. The head says how far that has come, so a trim that a crash interrupted goes on when the
 * session is next touched.
 */
export class Trimmer {
  readonly #database: Database
  readonly #commit: GroupCommit
  readonly #waiting = new Set<CachedSession>()
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(database: Database, commit: GroupCommit) {
    this.#database = database
    this.#commit = commit
  }

  /** Does nothing if there is nothing to trim. */
  schedule(state: CachedSession): void {
    const { settled } = state
    if (settled === undefined || settled.trimmed >= settled.first || this.#isStopped) return
    if (this.#waiting.has(state)) return
    this.#waiting.add(state)
    state.pins++
    this.#running ??= this.#run()
  }

  /** Waits until everything scheduled so far is done. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.idle()
  }

  async #run(): Promise<void> {
    for (const state of this.#waiting) {
      this.#waiting.delete(state) // scheduled again meanwhile, it comes again
      try {
        if (!this.#isStopped) await this.#trim(state)
      } catch {
        // The storage failed, and the next append will say so. The head still says what is left to do.
      }
      state.pins--
    }
    this.#running = undefined
  }

  async #trim(state: CachedSession): Promise<void> {
    let rows = 0
    let from = 0
    while (!this.#isStopped && state.erasing === undefined && state.settled !== undefined) {
      const { first, trimmed } = state.settled
      if (trimmed >= first) break
      from ||= trimmed
      const seqs = await rowSeqs(this.#database, state.keys, { from: trimmed, to: first - 1, limit: ROWS_AT_ONCE })
      const { tip } = state
      if (tip === undefined || state.erasing !== undefined) return
      const done = seqs.length < ROWS_AT_ONCE ? first : (seqs.at(-1) ?? first) + 1
      rows += seqs.length
      await this.#commit.add(deletionOf(state, { ...tip, trimmed: done }, seqs))
    }
    const end = state.settled?.trimmed
    if (rows < COMPACT_ROWS || end === undefined || this.#isStopped) return
    await this.#database.compact(state.keys.eventCopy(from), state.keys.eventCopy(end))
  }
}
