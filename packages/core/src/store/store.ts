import type { Backend } from '../backend/backend.ts'
import { observedBackend } from '../backend/observed-backend.ts'
import { SessionStates } from '../cache/session-states.ts'
import { guardedToolLinks } from './guarded-tool-links.ts'
import type { SessionSettings } from './session-settings.ts'
import type { Retention, RetentionAccess } from './retention.ts'
import { StoreError } from '../errors/store-error.ts'
import type { Position } from '../events/run.ts'
import type { SessionEvent } from '../events/session-event.ts'
import type { EventSchema } from '../events/upcast.ts'
import { EVENT_SCHEMA } from '../events/upcast.ts'
import { checkKey } from '../keys/check-key.ts'
import type { SessionLimits } from '../limits/session-limits.ts'
import { sessionLimits } from '../limits/session-limits.ts'
import type { SweepResult } from './session-store.ts'
import type { HistoryApi, ToolLinksOf } from '@turnlog/messages'
import { planDelete } from '../plan/delete.ts'
import type { Draft } from '../plan/draft.ts'
import type { SummaryOfLife } from '../plan/summarize.ts'
import type { Intent, Planned } from '../queue/intent.ts'
import type { TurnOptions } from '../queue/turn-queues.ts'
import { TurnQueues } from '../queue/turn-queues.ts'
import { fullClock } from '../runtime/clock.ts'
import { SessionQueues } from '../queue/session-queues.ts'
import type { HistoryShape } from '../view/history-of.ts'
import { historyOf } from '../view/history-of.ts'
import type { EventSource } from '../view/read-events.ts'
import type { SessionState } from '../view/session-state.ts'
import { stateAt } from '../view/state-at.ts'
import { Signals } from '../watch/signals.ts'
import type { WatchStart } from '../watch/watch-session.ts'
import { watchSession } from '../watch/watch-session.ts'
import { checkFlag, checkObject, checkSignal, checkText, checkWholeNumber } from '../errors/check-arguments.ts'
import { checkHistoryOptions, checkNames, checkWriteOptions, WRITE_OPTIONS } from './check-options.ts'
import { collectBatch } from './collect-batch.ts'
import { importEvents } from './import-events.ts'
import { forkSession } from './fork-session.ts'
import { listSessions, sessionInfo } from './list-sessions.ts'
import type { Operation } from './operations.ts'
import { sessionTurn } from './session-turn.ts'
import { Operations } from './operations.ts'
import { readLog } from './read-log.ts'
import type {
  AddOptions,
  AddResult,
  CompactResult,
  DeleteOptions,
  EventRange,
  HistoryOptions,
  ImportedEvent,
  ImportOptions,
  ImportOutcome,
  ListOptions,
  SessionBatch,
  SessionInfo,
  SessionStore,
  SessionTurn,
  SessionView,
  StoreStats,
  TruncateOptions,
  TruncateResult,
  VerifyReport,
  WatchOptions,
  WriteOptions,
  WriteResult,
} from './session-store.ts'
import { storeStats } from './store-stats.ts'
import { Unfinished } from './unfinished.ts'
import { verifyStore } from './verify-store.ts'
import { viewOf } from './view-of.ts'

const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024

/** What a store is made from beside its settings. */
export interface StoreParts<M extends object> {
  /** Opened. */
  readonly backend: Backend
  readonly readOnly: boolean
  /** @default the versions of this release */
  readonly schema?: EventSchema
  /** Makes what removes sessions and events of this store. */
  retention(access: RetentionAccess<M>): Retention<M>
}

/** What a read was asked for: a state, and how its messages are to be given. */
interface StateForReading<M> {
  readonly present: SessionState<M>
  /** That of the version that was asked for. */
  readonly state: SessionState<M>
  readonly shape: HistoryShape
}

/**
 * The way of a message: normalised here, planned on a draft (`plan/`), written by its session's queue (`queue/`), folded
 * into the view (`view/`) and kept (`cache/`).
 */
export class Store<M extends object> implements SessionStore<M> {
  readonly backend: Backend
  readonly #source: EventSource
  readonly #states: SessionStates<M>
  readonly #signals = new Signals()
  readonly #toolLinks: ToolLinksOf | undefined
  readonly #for: HistoryApi | undefined
  readonly #now: () => number
  readonly #otherWriters: boolean
  readonly #queues: SessionQueues<M>
  readonly #limits: (key: string) => SessionLimits
  readonly #operations: Operations<M>
  readonly #turns: TurnQueues
  readonly #retention: Retention<M>
  readonly #unfinished = new Unfinished()
  readonly #closed = new AbortController()
  #closing: Promise<void> | undefined

  constructor(parts: StoreParts<M>, settings: SessionSettings<M>) {
    const { backend, readOnly, schema = EVENT_SCHEMA } = parts
    const { clock = Date } = settings
    this.#now = () => clock.now()
    this.#otherWriters = backend.capabilities.access === 'shared' || readOnly
    this.backend = observedBackend(backend, (session) => {
      this.#states.forget(session)
      this.#signals.wake(session)
    })
    this.#source = { backend, schema, hasOtherWriters: this.#otherWriters }
    this.#states = new SessionStates(this.#source, !this.#otherWriters, settings.viewCacheBytes ?? DEFAULT_CACHE_BYTES)
    this.#toolLinks = guardedToolLinks(settings.toolLinks?.bind(settings) as ToolLinksOf | undefined)
    this.#for = settings.for
    this.#limits = sessionLimits(settings.limits, settings.onOverflow !== undefined)
    this.#turns = new TurnQueues(fullClock(settings.clock).schedule)
    this.#operations = new Operations({
      source: this.#source,
      states: this.#states,
      toolLinks: this.#toolLinks,
      limits: this.#limits,
    })
    this.#queues = new SessionQueues({
      backend,
      now: this.#now,
      load: (session) => this.#states.load(session),
      loadToAdd: (session) => this.#states.loadToAdd(session),
      settled: (session, state) => {
        this.#states.keep(session, state)
        this.#signals.wake(session)
        this.#retention.settled(session, state)
      },
      forget: (session) => this.#states.forget(session),
    })
    this.#retention = parts.retention({
      source: this.#source,
      states: this.#states,
      toolLinks: this.#toolLinks,
      queues: this.#queues,
      readOnly,
      limits: this.#limits,
      write: async (key, plan, needs) => this.#write(key, undefined, [], 0, plan, needs),
      summarize: (key, request) => this.summarize(key, request),
      deleteSession: (key, options) => this.deleteSession(key, options),
    })
  }

  // Not async, because every agent adds: a promise around a promise takes three more turns to settle.
  addMessage(
    key: string,
    roleOrMessage: string | M,
    contentOrOptions?: string | AddOptions,
    options?: AddOptions,
  ): Promise<AddResult> {
    try {
      this.#checkSession(key)
      const isText = typeof roleOrMessage === 'string'
      const given = isText ? options : (contentOrOptions as AddOptions | undefined)
      return this.#add(
        key,
        given,
        this.#operations.addMessage(key, roleOrMessage, contentOrOptions, options, WRITE_OPTIONS),
      )
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async addMessages(key: string, messages: readonly M[], options?: WriteOptions): Promise<AddResult> {
    this.#checkWrite(key, options)
    return withPositions(await this.#do(key, options, this.#operations.addMessages(key, messages)))
  }

  async replaceMessage(key: string, position: Position, message: M, options?: AddOptions): Promise<AddResult> {
    this.#checkSession(key)
    return this.#add(key, options, this.#operations.replaceMessage(key, position, message, options, WRITE_OPTIONS))
  }

  async setSummary(key: string, summary: string, options?: WriteOptions): Promise<WriteResult> {
    this.#checkWrite(key, options)
    return this.#do(key, options, this.#operations.setSummary(summary))
  }

  async truncateHistory(
    key: string,
    keepLast: number | { readonly before: Position },
    options?: TruncateOptions,
  ): Promise<TruncateResult> {
    this.#checkSession(key)
    return this.#do(key, options, this.#operations.truncateHistory(key, keepLast, options, WRITE_OPTIONS))
  }

  async setHistory(key: string, messages: readonly M[], options?: WriteOptions): Promise<WriteResult> {
    this.#checkWrite(key, options)
    return this.#do(key, options, this.#operations.setHistory(key, messages))
  }

  async summarize(key: string, request: SummaryOfLife, options?: WriteOptions): Promise<TruncateResult> {
    this.#checkWrite(key, options)
    return this.#do(key, options, this.#operations.summarize(key, request))
  }

  async replaceFrom(
    key: string,
    position: Position,
    messages: readonly M[],
    options?: WriteOptions,
  ): Promise<WriteResult> {
    this.#checkWrite(key, options)
    return this.#do(key, options, this.#operations.replaceFrom(key, position, messages))
  }

  async batch(key: string, collect: (session: SessionBatch<M>) => void, options?: WriteOptions): Promise<WriteResult> {
    this.#checkWrite(key, options)
    const { version, positions, prefix } = await this.#do(key, options, collectBatch(key, this.#operations, collect))
    return {
      version,
      ...(positions === undefined ? undefined : { positions }),
      ...(prefix === undefined ? undefined : { prefix }),
    }
  }

  async restore(key: string, target: { readonly at: number }, options?: WriteOptions): Promise<WriteResult> {
    this.#checkWrite(key, options)
    return this.#do(key, options, this.#operations.restore(key, target))
  }

  async fork(from: string, to: string, options: { readonly at?: number } = {}): Promise<WriteResult> {
    this.#checkSession(from)
    const parts = { source: this.#source, states: this.#states, queues: this.#queues }
    return this.#unfinished.add(forkSession(parts, from, to, options))
  }

  async importEvents(key: string, events: readonly ImportedEvent<M>[], options: ImportOptions): Promise<ImportOutcome> {
    this.#checkSession(key)
    const { maxMessageBytes } = this.#limits(key)
    const { backend } = this.#source
    const parts = { backend, states: this.#states, queues: this.#queues, maxMessageBytes }
    return this.#unfinished.add(importEvents(parts, key, events, options))
  }

  async setMetadata(
    key: string,
    metadata: Readonly<Record<string, unknown>>,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    this.#checkWrite(key, options)
    return this.#do(key, options, this.#operations.setMetadata(key, metadata))
  }

  async note(key: string, kind: string, data: unknown, options?: WriteOptions): Promise<WriteResult> {
    this.#checkWrite(key, options)
    return this.#do(key, options, this.#operations.note(kind, data))
  }

  async compact(key: string): Promise<CompactResult> {
    this.#checkSession(key)
    return this.#unfinished.add(this.#retention.compact(key))
  }

  async deleteSession(key: string, options: DeleteOptions = {}): Promise<boolean> {
    const { erase, expectedVersion, reason } = checkObject('options', options, ['erase', 'expectedVersion', 'reason'])
    checkFlag('erase', erase)
    if (reason !== undefined) checkText('reason', reason)
    const write = expectedVersion === undefined ? undefined : { expectedVersion }
    let existed = false
    const plan = (draft: Draft<M>): void => {
      existed = planDelete(draft, reason)
    }
    // Before anything that was asked for later: a write in between would begin the session anew, and nothing be erased.
    const needs = erase === true ? { afterwards: () => this.#retention.eraseDeleted(key) } : undefined
    await this.#write(key, write, [], 0, plan, needs)
    return existed
  }

  async expire(options: { readonly idleForMs: number; readonly prefix?: string }): Promise<{ sessions: number }> {
    this.#check()
    return this.#retention.expire(options)
  }

  async sweep(): Promise<SweepResult> {
    this.#check()
    return this.#retention.sweep()
  }

  getHistory(key: string, options?: HistoryOptions): Promise<M[]> {
    // A session in use is answered without a detour. Its key was checked when it came into the cache.
    const isPlain = options === undefined && this.#for === undefined
    const known = this.#closing === undefined && isPlain ? this.#states.peek(key) : undefined
    if (known !== undefined) return Promise.resolve(known.messages.slice(0, known.length))
    return this.#readHistory(key, options)
  }

  async #readHistory(key: string, options: HistoryOptions = {}): Promise<M[]> {
    const { state, shape } = await this.#stateFor(key, options)
    return historyOf(state, shape, this.#toolLinks).messages
  }

  async #stateFor(key: string, options: HistoryOptions): Promise<StateForReading<M>> {
    // Taken apart before anything is waited for: what the caller does to the object afterwards must not matter.
    const { at, ...asked } = checkHistoryOptions(options)
    const shape = { ...asked, for: asked.for ?? this.#for }
    const present = await this.#loadState(key)
    return { present, shape, state: at === undefined ? present : await stateAt(this.#source, key, present, at) }
  }

  async getSummary(key: string): Promise<string> {
    return (await this.#loadState(key)).summary
  }

  async load(key: string, options?: HistoryOptions): Promise<SessionView<M>> {
    if (options === undefined && this.#for === undefined) return viewOf(key, await this.#loadState(key))
    const { present, state, shape } = await this.#stateFor(key, options ?? {})
    return viewOf(key, present, state, historyOf(state, shape, this.#toolLinks))
  }

  async *events(key: string, range: EventRange = {}): AsyncGenerator<SessionEvent<M>> {
    this.#checkSession(key)
    yield* readLog<M>(this.#source, key, checkObject('range', range, ['from', 'to', 'reverse', 'limit']))
  }

  watch(key: string, options: WatchOptions = {}): AsyncIterable<SessionEvent<M>> {
    const start = this.#watchStart(key, options)
    start.catch(() => undefined) // the iterator throws it; nobody may iterate
    const closed = this.#closed.signal
    const context = { source: this.#source, signals: this.#signals, polls: this.#otherWriters, closed }
    return watchSession<M>(context, key, start)
  }

  /** "Now" is when `watch` is called, not when somebody begins to iterate. */
  async #watchStart(key: string, options: WatchOptions): Promise<WatchStart> {
    this.#checkSession(key)
    const { after, signal } = checkObject('options', options, ['after', 'signal'])
    if (after !== undefined) checkWholeNumber('after', after)
    checkSignal('signal', signal)
    const head = await this.#source.backend.head(key)
    return { after, seen: after ?? head?.last ?? 0, incarnation: head?.incarnation, signal }
  }

  async withTurn<T>(
    key: string,
    work: (turn: SessionTurn<M>) => T | Promise<T>,
    options: TurnOptions = {},
  ): Promise<T> {
    this.#checkSession(key)
    const { wait, signal } = checkObject('options', options, ['wait', 'signal'])
    if (wait !== undefined) checkWholeNumber('wait', wait)
    checkSignal('signal', signal)
    const given = { ...(wait === undefined ? undefined : { wait }), ...(signal === undefined ? undefined : { signal }) }
    return this.#turns.run(key, given, async (own) => {
      let isOver = false
      try {
        return await work(sessionTurn<M>(this, key, own, () => isOver))
      } finally {
        isOver = true
      }
    })
  }

  async info(key: string): Promise<SessionInfo | undefined> {
    this.#checkSession(key)
    return sessionInfo(this.#source, key)
  }

  async summaryAt(key: string, version: number): Promise<string> {
    this.#checkSession(key)
    checkWholeNumber('version', version)
    return (await stateAt(this.#source, key, await this.#loadState(key), version)).summary
  }

  async *listSessions(options?: ListOptions): AsyncGenerator<SessionInfo> {
    this.#check()
    yield* listSessions(this.#source, options)
  }

  async stats(): Promise<StoreStats> {
    this.#check()
    return storeStats(this.#source.backend, this.#now())
  }

  async verify(key?: string): Promise<VerifyReport> {
    if (key === undefined) this.#check()
    else this.#checkSession(key)
    return verifyStore(this.#source, key)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#closed.abort()
    this.#turns.close()
    await this.#retention.stop()
    await this.#unfinished.settled()
    await this.#queues.idle()
    await this.#source.backend.close()
  }

  /** For operations that have no options of their own. @throws `INVALID_ARGUMENT` */
  #checkWrite(key: string, options: WriteOptions | undefined): void {
    this.#checkSession(key)
    checkNames(options, [], WRITE_OPTIONS)
  }

  /** For operations that add one message. */
  #add(key: string, options: WriteOptions | undefined, operation: Operation<M>): Promise<AddResult> {
    return this.#do(key, options, operation) as Promise<AddResult>
  }

  #do<R extends object>(
    key: string,
    options: WriteOptions | undefined,
    operation: Operation<M, R>,
  ): Promise<Planned<R>> {
    const { request, bytes, plan } = operation
    return this.#write(key, options, request, bytes, plan, operation)
  }

  /** Hands an operation to its session's queue. `request` is what an operation id stands for. */
  #write<R extends object>(
    key: string,
    options: WriteOptions | undefined,
    request: readonly unknown[],
    bytes: number,
    plan: (draft: Draft<M>) => R | void,
    needs?: Pick<Intent<M, R>, 'prepare' | 'onlyAdds' | 'afterwards'>,
  ): Promise<Planned<R>> {
    // Not async, as all who call it are: a promise around a promise takes three more turns to settle.
    this.#checkSession(key)
    const { expectedVersion, operation } = checkWriteOptions(options, request)
    const { onlyAdds, prepare, afterwards } = needs ?? {}
    return this.#queues.enqueue<R>(key, { bytes, expectedVersion, operation, onlyAdds, prepare, plan, afterwards })
  }

  async #loadState(key: string): Promise<SessionState<M>> {
    this.#checkSession(key)
    return this.#states.load(key)
  }

  /** @throws `CLOSED`, `INVALID_KEY` */
  #checkSession(key: unknown): asserts key is string {
    this.#check()
    checkKey(key)
  }

  /** @throws `CLOSED` */
  #check(): void {
    if (this.#closing !== undefined)
      throw new StoreError('CLOSED', 'The store is closed. Open it again with openStore().')
  }
}

/** A write that added nothing says so. */
function withPositions(result: WriteResult): AddResult {
  const { positions = [] } = result
  return { ...result, positions }
}
