import { isStoreError } from '@turnlog/core/backend'
import type { AppendOptions, EventRecord, Expected, Json } from '@turnlog/core/backend'
import { mapInTurns } from '@turnlog/storage-kit'

import { EVENTS_AT_ONCE, needsTail, planChange } from './append-plan.ts'
import type { Database } from '../database/database.ts'
import { encodeEvent } from '../format/event-row.ts'
import type { EventRow } from '../format/event-row.ts'
import type { GroupCommit } from './group-commit.ts'
import { readTail } from './read-tail.ts'
import type { CachedSession } from '../cache/cached-session.ts'
import type { CachedSessions } from '../cache/cached-sessions.ts'

export interface AppendRequest {
  readonly session: string
  readonly expected: Expected
  readonly events: readonly EventRecord[]
  readonly projection: Json
  readonly options: AppendOptions | undefined
}

/** The way of an append: its session is found, it is compared and planned, and handed to group commit. */
export class Appender {
  readonly #database: Database
  readonly #states: CachedSessions
  readonly #commit: GroupCommit
  readonly #trim: (state: CachedSession) => void

  constructor(database: Database, states: CachedSessions, commit: GroupCommit, trim: (state: CachedSession) => void) {
    this.#database = database
    this.#states = states
    this.#commit = commit
    this.#trim = trim
  }

  /**
   * The usual append, to a session in use and with nothing to wait for but its batch. Not async: each function that is
   * awaited costs every message a turn and garbage.
   *
   * @returns `undefined` if there is more to wait for; nothing has been done then
   * @throws `CONFLICT`, `INVALID_ARGUMENT`
   */
  appendAtOnce(request: AppendRequest): Promise<void> | undefined {
    const { session, events, options } = request
    const state = this.#states.get(session)
    if (state === undefined || state.isBusy) return undefined
    if (events.length > EVENTS_AT_ONCE || options?.trimBefore !== undefined) return undefined
    const rows = events.map(encodeEvent)
    return needsTail(state, rows) ? undefined : this.#write(state, request, rows)
  }

  async append(request: AppendRequest): Promise<void> {
    const { session, events, options } = request
    const rows =
      events.length > EVENTS_AT_ONCE ? await mapInTurns(events, EVENTS_AT_ONCE, encodeEvent) : events.map(encodeEvent)
    for (;;) {
      const state = this.#states.get(session)
      if (state === undefined || state.erasing !== undefined) await this.#states.load(session)
      else if (needsTail(state, rows)) await this.#loadTail(state)
      else {
        try {
          await this.#write(state, request, rows)
          if (options?.trimBefore !== undefined) this.#trim(state)
          return
        } catch (error) {
          // A conflict with an append that has not settled is no answer yet: if that one fails, this one may succeed.
          if (!isStoreError(error, 'CONFLICT') || state.pending === 0) throw error
          await state.whenIdle()
        }
      }
    }
  }

  /** Compared and queued at once; resolves when it is written. @throws `CONFLICT`, `INVALID_ARGUMENT` */
  #write(state: CachedSession, request: AppendRequest, rows: readonly EventRow[]): Promise<void> {
    const { expected, events, projection, options } = request
    const { change, tail } = planChange(state, expected, events, rows, projection, options)
    state.tail = tail
    const written = this.#commit.add(change)
    if (tail !== undefined) this.#states.keepTail(state, tail.store.capacity)
    return written
  }

  async #loadTail(state: CachedSession): Promise<void> {
    await state.whenIdle()
    const { settled } = state
    if (settled === undefined || state.tail !== undefined) return
    const isStill = (): boolean => state.settled === settled && state.tip === settled && state.erasing === undefined
    try {
      const tail = await readTail(this.#database, state.session, state.keys, settled)
      if (isStill()) state.tail = tail
    } catch (error) {
      // A large tail is read in several steps. Another append may have sealed it in between, and then rows are missing.
      if (isStill()) throw error
    }
  }
}
