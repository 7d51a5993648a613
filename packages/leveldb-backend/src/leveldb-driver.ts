import { eraseConflict, StoreError } from '@turnlog/core/backend'
import type {
  AppendOptions,
  BackendDriver,
  EventRecord,
  Expected,
  Head,
  Json,
  ListRange,
  Maintenance,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from '@turnlog/core/backend'

import { Appender } from './append/appender.ts'
import { GroupCommit } from './append/group-commit.ts'
import type { CheckedOptions } from './options/leveldb-options.ts'
import { reclaimSpace } from './maintenance/reclaim.ts'
import { storeSizes } from './maintenance/sizes.ts'
import { verifyStore } from './maintenance/verify.ts'
import { openToRead } from './open/open-to-read.ts'
import type { ReadableStore } from './open/open-to-read.ts'
import { readEvents } from './read/read-events.ts'
import { listHeads } from './read/list-heads.ts'
import type { EventSource } from './read/group-reader.ts'
import { toHead } from './format/head-row.ts'
import type { HeadRow } from './format/head-row.ts'
import { eraseSession } from './sessions/erase.ts'
import { CachedSessions } from './cache/cached-sessions.ts'
import { Trimmer } from './sessions/trim.ts'
import { openToWrite } from './open/open-to-write.ts'
import type { WritableStore } from './open/open-to-write.ts'

/** What exists only if the store is open to write. */
interface Writer {
  readonly store: WritableStore
  readonly commit: GroupCommit
  readonly trimmer: Trimmer
  readonly appender: Appender
}

export class LevelDbDriver implements BackendDriver {
  readonly report: OpenReport
  readonly maintenance: Omit<Maintenance, 'repair'>
  readonly #store: ReadableStore
  readonly #states: CachedSessions
  readonly #opened: Writer | undefined

  private constructor(store: ReadableStore, states: CachedSessions, writer?: Writer) {
    this.report = store.report
    this.#store = store
    this.#states = states
    this.#opened = writer
    const { directory, database } = store
    this.maintenance = {
      verify: (request) => verifyStore(database, request),
      reclaim: (request) => reclaimSpace({ directory, database, states, trimmer: this.#writer.trimmer }, request),
      sizes: async () => storeSizes(directory),
    }
  }

  static async open(options: CheckedOptions, readOnly: boolean): Promise<LevelDbDriver> {
    if (readOnly) {
      const store = await openToRead(options)
      return new LevelDbDriver(store, new CachedSessions(store.database))
    }
    const store = await openToWrite(options)
    const commit = new GroupCommit(store, options.durability === 'sync')
    const trimmer = new Trimmer(store.database, commit)
    const trim = trimmer.schedule.bind(trimmer)
    const states = new CachedSessions(store.database, trim)
    const appender = new Appender(store.database, states, commit, trim)
    return new LevelDbDriver(store, states, { store, commit, trimmer, appender })
  }

  async close(): Promise<void> {
    await this.#opened?.trimmer.stop()
    await this.#opened?.commit.drain()
    await this.#store.close()
  }

  append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options: AppendOptions | undefined,
  ): Promise<void> {
    return this.#writer.appender.append({ session, expected, events, projection, options })
  }

  appendAtOnce(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options: AppendOptions | undefined,
  ): Promise<void> | undefined {
    return this.#writer.appender.appendAtOnce({ session, expected, events, projection, options })
  }

  read(session: string, ranges: readonly Range[], options: ReadOptions): AsyncIterable<readonly EventRecord[]> {
    return readEvents(() => this.#source(session), ranges, options)
  }

  async #source(session: string): Promise<EventSource | undefined> {
    const { keys, settled: head } = await this.#states.load(session)
    if (head === undefined) return undefined
    const present = async (): Promise<HeadRow | undefined> => (await this.#states.load(session)).settled
    return { session, keys, head, database: this.#store.database, present }
  }

  async head(session: string): Promise<Head | undefined> {
    const { settled } = await this.#states.load(session)
    return settled === undefined ? undefined : toHead(settled, session)
  }

  list(range: ListRange): AsyncIterable<readonly SessionHead[]> {
    return listHeads(this.#store.database, range)
  }

  async erase(session: string, expectedLast: number): Promise<void> {
    const { commit, store } = this.#writer
    const state = await this.#states.load(session)
    if (state.pending > 0) await state.whenIdle()
    // Something may have come in between; nothing can between here and the mark.
    if (state.erasing !== undefined || state.pending > 0 || this.#states.get(session) !== state) {
      return this.erase(session, expectedLast)
    }
    const actual = state.settled?.last ?? 0
    if (actual !== expectedLast) throw eraseConflict(session, expectedLast, actual)
    state.erasing = eraseSession(store, commit, state).finally(() => {
      state.erasing = undefined
      // If it failed the session is still there, and background work may hold this object: a second one would not know.
      if (state.settled === undefined) this.#states.forget(state)
    })
    await state.erasing
  }

  get #writer(): Writer {
    if (this.#opened !== undefined) return this.#opened
    throw new StoreError('READ_ONLY', 'The leveldb store was opened read-only.')
  }
}
