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

import { encodeInTurns, EVENTS_AT_ONCE, needsTail, planChange } from './append-plan.ts'
import { eraseConflict, eraseSession } from './erase-session.ts'
import { encodeEvent } from './event-row.ts'
import type { EventRow } from './event-row.ts'
import { readEvents } from './event-reader.ts'
import { GroupCommit } from './group-commit.ts'
import { toHead } from './head-row.ts'
import { fromLevel } from './level-error.ts'
import { checkOptions } from './leveldb-options.ts'
import type { CheckedOptions, LevelDbOptions } from './leveldb-options.ts'
import { listHeads } from './list-heads.ts'
import { reclaimSpace } from './maintenance/reclaim.ts'
import { repairStore } from './maintenance/repair.ts'
import { storeSizes } from './maintenance/store-sizes.ts'
import { verifyStore } from './maintenance/verify.ts'
import { OpenedStore } from './opened-store.ts'
import { ReadOnlyStore } from './read-only-store.ts'
import { readTail } from './read-tail.ts'
import type { SessionState } from './session-state.ts'
import { SessionStates } from './session-states.ts'
import { Trimmer } from './trimmer.ts'

/** Everything that exists only while the backend is open. */
interface Running {
  readonly store: OpenedStore | ReadOnlyStore
  readonly states: SessionStates
  /** `undefined` if it was opened read-only. */
  readonly writer: { readonly store: OpenedStore; readonly commit: GroupCommit; readonly trimmer: Trimmer } | undefined
}

/** What `append` is asked for. */
interface AppendRequest {
  readonly expected: Expected
  readonly events: readonly EventRecord[]
  readonly projection: Json
  readonly options: AppendOptions | undefined
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
    return { store, states, writer: { store, commit, trimmer } }
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
    const request = { expected, events, projection, options }
    try {
      return this.#appendAtOnce(session, request) ?? this.#lifecycle.run(() => this.#append(session, request))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * The usual append, to a session in use and with nothing to wait for but its batch, as `close` does too. Not async:
   * each function that is awaited costs every message a turn and garbage.
   *
   * @returns `undefined` if there is more to wait for; nothing has been done then
   */
  #appendAtOnce(session: string, request: AppendRequest): Promise<void> | undefined {
    this.#lifecycle.check()
    const { events, options } = request
    const state = this.#required().states.get(session)
    if (state === undefined || state.isBusy || needsTail(state, events.length)) return undefined
    if (events.length > EVENTS_AT_ONCE || options?.trimBefore !== undefined) return undefined
    return this.#write(state, request, events.map(encodeEvent))
  }

  async #append(session: string, request: AppendRequest): Promise<void> {
    const { events, options } = request
    const { states } = this.#required()
    const { trimmer } = this.#writer()
    const rows = events.length > EVENTS_AT_ONCE ? await encodeInTurns(events) : events.map(encodeEvent)
    for (;;) {
      const state = states.get(session)
      if (state === undefined || state.erasing !== undefined) await states.load(session)
      else if (needsTail(state, events.length)) await this.#loadTail(state)
      else {
        try {
          await this.#write(state, request, rows)
          if (options?.trimBefore !== undefined) trimmer.schedule(state)
          return
        } catch (error) {
          // A conflict with an append that has not settled is no answer yet: if that one fails, this one may succeed.
          if (!isStoreError(error, 'CONFLICT') || state.pending === 0) throw error
          await state.whenIdle()
        }
      }
    }
  }

  /** Compares it with the tip and queues it, at once; resolves when it is written. @throws `CONFLICT` */
  #write(state: SessionState, request: AppendRequest, rows: readonly EventRow[]): Promise<void> {
    const { states } = this.#required()
    const { commit } = this.#writer()
    const { expected, events, projection, options } = request
    const { change, tail } = planChange(state, expected, events, rows, projection, options)
    state.tail = tail
    const written = commit.add(change)
    if (tail !== undefined) states.keepTail(state, tail.store.capacity)
    return written
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
  }

  async head(session: string): Promise<Head | undefined> {
    this.#lifecycle.check()
    const { settled } = await this.#required().states.load(session)
    return settled === undefined ? undefined : toHead(settled, session)
  }

  async *list(range: ListRange = {}): AsyncGenerator<readonly SessionHead[]> {
    const check = this.#lifecycle.guard()
    const { store } = this.#required()
    for await (const batch of listHeads(store.database, range)) {
      yield batch
      check()
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

  async #loadTail(state: SessionState): Promise<void> {
    await state.whenIdle()
    const { store } = this.#required()
    const { settled } = state
    if (settled === undefined || state.tail !== undefined) return
    const tail = await readTail(store.database, state.session, state.keys, settled)
    if (state.settled === settled && state.tip === settled) state.tail = tail
  }

  #writer(): NonNullable<Running['writer']> {
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
}
