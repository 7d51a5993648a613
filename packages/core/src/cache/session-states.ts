import { LRUCache } from 'lru-cache'
import { observe } from '../diagnostics/observe.ts'
import type { SessionEvent } from '../events/session-event.ts'
import { applyEvent } from '../view/fold.ts'
import { loadOutline, loadState } from '../view/load-state.ts'
import type { EventSource } from '../view/read-events.ts'
import { readEvents } from '../view/read-events.ts'
import type { SessionState } from '../view/session-state.ts'
import { copyState, emptyState } from '../view/session-state.ts'

/** What an entry of the view takes in memory beside the text of its message. */
const ENTRY_BYTES = 120

/** What the state of an empty session takes. */
const STATE_BYTES = 600

/**
 * Far more than it takes. To load one again is cheap, so it should not push out what is read; and those that leave after
 * a while are the garbage that costs most. With 4 KB, and twice as many sessions in the LevelDB backend, a store that was
 * written to all over took 20 MB more.
 */
const OUTLINE_BYTES = 16 * 1024

/** Sessions of which it is remembered that they were read, without what was read. */
const MAX_SEEN = 4096

/**
 * The states of sessions in memory, bounded by bytes. Where no other process can write (`authoritative`), a state that
 * is here is the truth; otherwise the backend's head is asked first and only newer events are read.
 *
 * A session is kept from its second use on, reading or writing. Many are read once and not again for long (an export, a
 * search, a message to a bot): to keep those would push out what is in use, and what the collector has to carry along
 * costs half as much again as reading it. The one that was read last stays until another is read, because whoever reads
 * a session often goes on with it at once.
 */
export class SessionStates<M> {
  readonly #source: EventSource
  readonly #authoritative: boolean
  readonly #states: LRUCache<string, SessionState<M>>
  readonly #maxBytes: number
  /** Read once, and not kept. */
  readonly #seen = new LRUCache<string, true>({ max: MAX_SEEN })
  #last: { readonly session: string; readonly state: SessionState<M> } | undefined
  /** One load per session at a time; removed when a write makes its result outdated, which is then not kept. */
  readonly #loading = new Map<string, Promise<SessionState<M>>>()

  constructor(source: EventSource, authoritative: boolean, maxBytes: number) {
    this.#source = source
    this.#authoritative = authoritative
    this.#maxBytes = maxBytes
    // It takes no 0 for "none", and keeps nothing that is larger than all it may keep.
    this.#states = new LRUCache<string, SessionState<M>>({
      maxSize: Math.max(maxBytes, 1),
      sizeCalculation: memoryBytes,
    })
  }

  /** The state if it is known, with its messages, without asking anybody. */
  peek(session: string): SessionState<M> | undefined {
    const state = this.#known(session)
    return state?.isOutline === true ? undefined : state
  }

  load(session: string): Promise<SessionState<M>> {
    const known = this.peek(session)
    if (known !== undefined) return Promise.resolve(known)
    const running = this.#loading.get(session)
    if (running !== undefined && this.#authoritative) return running
    const loading = this.#observedLoad(session).then(
      (state) => {
        if (this.#loading.get(session) === loading) this.#admit(session, state)
        return state
      },
      (error: unknown) => {
        if (this.#loading.get(session) === loading) this.#loading.delete(session)
        throw error
      },
    )
    this.#loading.set(session, loading)
    return loading
  }

  /** Enough to add to the session: what is known of it, at once, or else its outline. */
  loadToAdd(session: string): SessionState<M> | Promise<SessionState<M>> {
    return this.#known(session) ?? this.#loadToAdd(session)
  }

  async #loadToAdd(session: string): Promise<SessionState<M>> {
    if (this.#states.has(session) || this.#loading.has(session)) return this.load(session)
    return (await loadOutline<M>(this.#source, session)) ?? this.load(session)
  }

  /** Takes a state as the present one. */
  keep(session: string, state: SessionState<M>): void {
    this.#loading.delete(session)
    if (this.#last?.session === session) this.#last = undefined
    // Where others write, a state is kept to read only what came after it, and an outline has nothing to add that to.
    if (state.isOutline && !this.#authoritative) this.#states.delete(session)
    else this.#states.set(session, state)
  }

  forget(session: string): void {
    this.#loading.delete(session)
    if (this.#last?.session === session) this.#last = undefined
    this.#states.delete(session)
  }

  #known(session: string): SessionState<M> | undefined {
    if (!this.#authoritative) return undefined
    const known = this.#states.get(session)
    const last = this.#last
    if (known !== undefined || last === undefined || last.session !== session) return known
    this.keep(session, last.state)
    return last.state
  }

  /** A state that was read: kept if the session has been in use before. */
  #admit(session: string, state: SessionState<M>): void {
    if (!this.#authoritative || this.#states.has(session) || this.#seen.delete(session)) {
      this.keep(session, state)
      return
    }
    this.#loading.delete(session)
    this.#seen.set(session, true)
    if (memoryBytes(state) <= this.#maxBytes) this.#last = { session, state }
  }

  #observedLoad(session: string): Promise<SessionState<M>> {
    const about = { backend: this.#source.backend.name, session }
    const sizes = (state: SessionState<M>) => ({ messages: state.length, bytes: state.bytes })
    return observe('turnlog:load', about, () => this.#loadFresh(session), sizes)
  }

  async #loadFresh(session: string): Promise<SessionState<M>> {
    const known = this.#authoritative ? undefined : this.#states.get(session)
    return (
      (known === undefined ? undefined : await this.#catchUp(session, known)) ?? loadState<M>(this.#source, session)
    )
  }

  /** A known state and the events after it. `undefined` if that is not enough. */
  async #catchUp(session: string, known: SessionState<M>): Promise<SessionState<M> | undefined> {
    const head = await this.#source.backend.head(session)
    if (head === undefined) return emptyState()
    if (head.incarnation !== known.incarnation || head.first !== known.first || head.last < known.last) return undefined
    if (head.last === known.last) return known
    const events = await readEvents<M>(this.#source, session, head, [{ from: known.last + 1, to: head.last }])
    // A view event of another process may bring back messages that were forgotten here.
    if (events === undefined || events.some(isViewEvent)) return undefined
    // A draft may be writing behind the end of the known arrays at this moment, so these get their own.
    const state = copyState(known)
    state.messages = known.messages.slice(0, known.length)
    state.entries = known.entries.copy(known.length)
    for (const event of events) applyEvent(state, event, { keepRemoved: false })
    return state
  }
}

function isViewEvent(event: SessionEvent<unknown>): boolean {
  return 'view' in event
}

function memoryBytes(state: SessionState<unknown>): number {
  if (state.isOutline) return OUTLINE_BYTES
  // Strings take one or two bytes a character; two is the safe side.
  return STATE_BYTES + 2 * (state.bytes + state.summary.length) + ENTRY_BYTES * state.length
}
