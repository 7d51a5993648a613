import { checkRead, isStoreError, Lifecycle, StoreError } from '@turnlog/core/backend'
import type {
  AppendOptions,
  Backend,
  BackendDefinition,
  Capabilities,
  EventRecord,
  Expected,
  Head,
  Json,
  ListRange,
  Maintenance,
  OpenOptions,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from '@turnlog/core/backend'

import { Appender } from './append/appender.ts'
import { eraseConflict, eraseSession } from './sessions/erase-session.ts'
import { readEvents } from './read/event-reader.ts'
import { GroupCommit } from './append/group-commit.ts'
import { toHead } from './rows/head-row.ts'
import { fromLevel } from './database/level-error.ts'
import { checkOptions } from './leveldb-options.ts'
import type { CheckedOptions, LevelDbOptions } from './leveldb-options.ts'
import { describeLock } from './lock/describe-lock.ts'
import { listHeads } from './read/list-heads.ts'
import { reclaimSpace } from './maintenance/reclaim.ts'
import { repairStore } from './maintenance/repair.ts'
import { storeSizes } from './maintenance/store-sizes.ts'
import { verifyStore } from './maintenance/verify.ts'
import { OpenedStore } from './open/opened-store.ts'
import { ReadOnlyStore } from './open/read-only-store.ts'
import { storePlace } from './open/store-place.ts'
import { SessionStates } from './sessions/session-states.ts'
import { Trimmer } from './sessions/trimmer.ts'

/** What exists only while the backend is open to write. */
interface Writer {
  readonly store: OpenedStore
  readonly commit: GroupCommit
  readonly trimmer: Trimmer
  readonly appender: Appender
}

/** Everything that exists only while the backend is open. */
interface Running {
  readonly store: OpenedStore | ReadOnlyStore
  readonly states: SessionStates
  /** `undefined` if it was opened read-only. */
  readonly writer: Writer | undefined
}

class LevelDbBackend implements Backend {
  readonly contract = 1
  readonly name = 'leveldb'
  readonly capabilities: Capabilities
  readonly maintenance: Maintenance
  readonly #options: CheckedOptions
  readonly #lifecycle = new Lifecycle('LevelDB')
  #running: Running | undefined

  constructor(options: CheckedOptions) {
    this.#options = options
    this.capabilities = Object.freeze({
      persistent: true,
      durability: options.durability,
      access: 'exclusive',
      concurrentReaders: false,
      detectsDamage: true,
    })
    this.maintenance = {
      verify: (request) => this.#lifecycle.run(() => verifyStore(this.#required().store.database, request)),
      repair: (request = {}) => repairStore(options, request),
      reclaim: (request) =>
        this.#lifecycle.run(async () => {
          const { store, states } = this.#required()
          const { directory, database } = store
          const { trimmer } = this.#writer()
          try {
            return await reclaimSpace({ directory, database, states, trimmer }, request)
          } catch (error) {
            if (isStoreError(error) || request?.signal?.aborted === true) throw error
            throw fromLevel(error, 'reclaim space', directory)
          }
        }),
      sizes: () =>
        this.#lifecycle.run(async () => {
          const { directory } = this.#required().store
          return storeSizes(directory).catch((error: unknown) => {
            throw fromLevel(error, 'measure the store', directory)
          })
        }),
    }
  }

  open({ readOnly = false }: OpenOptions = {}): Promise<OpenReport> {
    return this.#lifecycle.open(async () => {
      this.#running = readOnly ? await this.#openToRead() : await this.#openToWrite()
      return this.#running.store.report
    })
  }

  async #openToWrite(): Promise<Running> {
    const store = await OpenedStore.open(this.#options)
    const commit = new GroupCommit(store, this.#options.durability === 'sync', store.rows)
    const trimmer = new Trimmer(store.database, commit)
    const states = new SessionStates(store.database, (state) => trimmer.schedule(state))
    const appender = new Appender(store.database, states, commit, trimmer)
    return { store, states, writer: { store, commit, trimmer, appender } }
  }

  async #openToRead(): Promise<Running> {
    const store = await ReadOnlyStore.open(this.#options)
    return { store, states: new SessionStates(store.database), writer: undefined }
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      const { store, writer } = this.#required()
      await writer?.trimmer.stop()
      await writer?.commit.drain()
      this.#running = undefined
      await store.close()
    })
  }

  append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void> {
    try {
      this.#lifecycle.check()
      const { appender } = this.#writer()
      const request = { session, expected, events, projection, options }
      // `close` waits for batches, so who waits for nothing else need not be counted.
      return appender.appendAtOnce(request) ?? this.#lifecycle.run(() => appender.append(request))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async *read(
    session: string,
    ranges: readonly Range[],
    options: ReadOptions = {},
  ): AsyncGenerator<readonly EventRecord[]> {
    const check = this.#lifecycle.guard()
    checkRead(ranges, options)
    options.signal?.throwIfAborted()
    const { states, store } = this.#required()
    try {
      const state = await states.load(session)
      check()
      const head = state.settled
      if (head === undefined) return
      const source = {
        session,
        keys: state.keys,
        head,
        database: store.database,
        present: async () => (await states.load(session)).settled,
      }
      for await (const batch of readEvents(source, ranges, options)) {
        yield batch
        check()
      }
    } catch (error) {
      check() // `close` does not wait for readers: what LevelDB then says is not the reason
      throw error
    }
  }

  async head(session: string): Promise<Head | undefined> {
    const check = this.#lifecycle.guard()
    try {
      const { settled } = await this.#required().states.load(session)
      return settled === undefined ? undefined : toHead(settled, session)
    } catch (error) {
      check() // as in `read`
      throw error
    }
  }

  async *list(range: ListRange = {}): AsyncGenerator<readonly SessionHead[]> {
    const check = this.#lifecycle.guard()
    const { store } = this.#required()
    try {
      for await (const batch of listHeads(store.database, range)) {
        yield batch
        check()
      }
    } catch (error) {
      check() // as in `read`
      throw error
    }
  }

  erase(session: string, expectedLast: number): Promise<void> {
    return this.#lifecycle.run(() => this.#erase(session, expectedLast))
  }

  async #erase(session: string, expectedLast: number): Promise<void> {
    const { states } = this.#required()
    const { commit, store } = this.#writer()
    const state = await states.load(session)
    if (state.pending > 0) await state.whenIdle()
    // Something may have come in between; nothing can between here and the mark.
    if (state.erasing !== undefined || state.pending > 0 || states.get(session) !== state) {
      return this.#erase(session, expectedLast)
    }
    const actual = state.settled?.last ?? 0
    if (actual !== expectedLast) throw eraseConflict(session, expectedLast, actual)
    state.erasing = eraseSession(store, commit, state).finally(() => {
      state.erasing = undefined
      // If it failed the session is still there, and background work may hold this object: a second one would not know.
      if (state.settled === undefined) states.forget(state)
    })
    await state.erasing
  }

  #writer(): Writer {
    const { writer } = this.#required()
    if (writer !== undefined) return writer
    throw new StoreError('READ_ONLY', 'The LevelDB backend was opened read-only. Open it without readOnly to write.')
  }

  #required(): Running {
    if (this.#running === undefined) throw new StoreError('CLOSED', 'The LevelDB backend is closed.')
    return this.#running
  }
}

/** A backend on LevelDB. @throws `INVALID_CONFIG` */
export function leveldbBackend(options: LevelDbOptions): Backend {
  return new LevelDbBackend(checkOptions(options))
}

export const backend: BackendDefinition = {
  name: 'leveldb',
  contract: 1,
  create: (options) => new LevelDbBackend(checkOptions(options)),
  storePlace,
  describeLock,
}
