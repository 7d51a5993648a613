import type { Backend } from '../backend/backend.ts'
import { SessionStates } from '../cache/session-states.ts'
import { guardedToolLinks } from '../config/guarded-tool-links.ts'
import type { StoreSettings } from '../config/store-config.ts'
import { StoreError } from '../errors/store-error.ts'
import type { SessionEvent } from '../events/session-event.ts'
import type { EventSchema } from '../events/upcast.ts'
import { EVENT_SCHEMA } from '../events/upcast.ts'
import { checkKey } from '../keys/check-key.ts'
import type { ToolLinksOf } from '../pairs/tool-links.ts'
import { historyOf } from '../view/history-of.ts'
import type { EventSource } from '../view/read-events.ts'
import type { SessionState } from '../view/session-state.ts'
import { stateAt } from '../view/state-at.ts'
import { Signals } from '../watch/signals.ts'
import type { WatchStart } from '../watch/watch-session.ts'
import { watchSession } from '../watch/watch-session.ts'
import { checkFlag, checkObject, checkSignal, checkWholeNumber } from './check-options.ts'
import { listSessions } from './list-sessions.ts'
import { readLog } from './read-log.ts'
import type {
  EventRange,
  HistoryOptions,
  ListOptions,
  SessionInfo,
  SessionView,
  StoreStats,
  VerifyReport,
  WatchOptions,
} from './session-store.ts'
import { storeStats } from './store-stats.ts'
import { verifyStore } from './verify-store.ts'
import { viewOf } from './view-of.ts'

const HISTORY_OPTIONS = ['limit', 'at', 'exact', 'repair', 'copy']
const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024

/** What a store is made from beside its settings. */
export interface StoreParts {
  /** Opened. */
  readonly backend: Backend
  readonly readOnly: boolean
  /** @default the versions of this release */
  readonly schema?: EventSchema
}

/** The half of the store that changes nothing. */
export class ReadingStore<M extends object> {
  protected readonly source: EventSource
  protected readonly states: SessionStates<M>
  protected readonly signals: Signals = new Signals()
  protected readonly toolLinks: ToolLinksOf | undefined
  protected readonly now: () => number
  readonly #closed = new AbortController()
  readonly #otherWriters: boolean
  #closing: Promise<void> | undefined

  constructor({ backend, readOnly, schema = EVENT_SCHEMA }: StoreParts, settings: StoreSettings<M>) {
    const { clock = Date } = settings
    this.now = () => clock.now()
    this.#otherWriters = backend.capabilities.access === 'shared' || readOnly
    this.source = { backend, schema, hasOtherWriters: this.#otherWriters }
    this.states = new SessionStates(this.source, !this.#otherWriters, settings.viewCacheBytes ?? DEFAULT_CACHE_BYTES)
    this.toolLinks = guardedToolLinks(settings.toolLinks?.bind(settings) as ToolLinksOf | undefined)
  }

  getHistory(key: string, options?: HistoryOptions): Promise<M[]> {
    // A session in use is answered without a detour. Its key was checked when it came into the cache.
    const known = this.#closing === undefined && options === undefined ? this.states.peek(key) : undefined
    if (known !== undefined) return Promise.resolve(known.messages.slice(0, known.length))
    return this.#readHistory(key, options)
  }

  async #readHistory(key: string, options: HistoryOptions = {}): Promise<M[]> {
    // Taken apart before anything is waited for: what the caller does to the object afterwards must not matter.
    const { limit, at, exact, repair, copy } = checkObject('options', options, HISTORY_OPTIONS)
    if (limit !== undefined) checkWholeNumber('limit', limit)
    if (at !== undefined) checkWholeNumber('at', at)
    checkFlag('exact', exact)
    checkFlag('repair', repair)
    checkFlag('copy', copy)
    const present = await this.loadState(key)
    const state = at === undefined ? present : await stateAt(this.source, key, present, at)
    return historyOf(state, { limit, exact, repair, copy }, this.toolLinks)
  }

  async getSummary(key: string): Promise<string> {
    return (await this.loadState(key)).summary
  }

  async load(key: string): Promise<SessionView<M>> {
    return viewOf(key, await this.loadState(key))
  }

  async *events(key: string, range: EventRange = {}): AsyncGenerator<SessionEvent<M>> {
    this.checkSession(key)
    yield* readLog<M>(this.source, key, checkObject('range', range, ['from', 'to', 'reverse', 'limit']))
  }

  watch(key: string, options: WatchOptions = {}): AsyncIterable<SessionEvent<M>> {
    const start = this.#watchStart(key, options)
    start.catch(() => undefined) // told to whoever iterates, and nobody may
    const { source, signals } = this
    const context = { source, signals, polls: this.#otherWriters, closed: this.#closed.signal }
    return watchSession<M>(context, key, start)
  }

  /** "Now" is when `watch` is called, not when somebody begins to iterate. */
  async #watchStart(key: string, options: WatchOptions): Promise<WatchStart> {
    this.checkSession(key)
    const { after, signal } = checkObject('options', options, ['after', 'signal'])
    if (after !== undefined) checkWholeNumber('after', after)
    checkSignal('signal', signal)
    const head = await this.source.backend.head(key)
    return { after, seen: after ?? head?.last ?? 0, incarnation: head?.incarnation, signal }
  }

  async *listSessions(options?: ListOptions): AsyncGenerator<SessionInfo> {
    this.check()
    yield* listSessions(this.source, options)
  }

  async stats(): Promise<StoreStats> {
    this.check()
    return storeStats(this.source.backend, this.now())
  }

  async verify(key?: string): Promise<VerifyReport> {
    if (key === undefined) this.check()
    else this.checkSession(key)
    return verifyStore(this.source, key)
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
    await this.settle()
    await this.source.backend.close()
  }

  /** What has to come to an end before the backend may be closed. */
  protected async settle(): Promise<void> {}

  protected async loadState(key: string): Promise<SessionState<M>> {
    this.checkSession(key)
    return this.states.load(key)
  }

  /** @throws `CLOSED`, `INVALID_KEY` */
  protected checkSession(key: unknown): asserts key is string {
    this.check()
    checkKey(key)
  }

  /** @throws `CLOSED` */
  protected check(): void {
    if (this.#closing !== undefined)
      throw new StoreError('CLOSED', 'The store is closed. Open it again with openStore().')
  }
}
