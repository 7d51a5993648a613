import type { Clock } from '../runtime/clock.ts'
import type { StoreWarning } from '../runtime/store-warning.ts'
import { StoreError } from '../errors/store-error.ts'
import type { RetentionAccess } from '../store/retention.ts'
import type { SessionView } from '../store/session-store.ts'
import { viewOf } from '../store/view-of.ts'
import type { SessionState } from '../view/session-state.ts'
import { exceededLimit, limitCut } from '../limits/view-limit.ts'

/** Model calls at a time, over all sessions. */
const MAX_RUNNING = 4
const FIRST_RETRY_MS = 30_000
const LONGEST_RETRY_MS = 60 * 60 * 1000

/** Writes a summary of `view.messages` that also keeps what `view.summary` says. */
export type OnOverflow<M> = (view: SessionView<M>, options: { readonly signal: AbortSignal }) => Promise<string>

interface OverflowSettings<M> {
  readonly clock: Required<Clock>
  readonly onOverflow: OnOverflow<M>
  warn(warning: StoreWarning): void
}

/** A session that is too large. */
interface Overflow {
  failures: number
  /** Waiting for its turn or for the model, or for the next attempt. */
  phase: 'queued' | 'running' | 'backing-off'
  cancel(): void
}

/**
 * Has views that became too large summarised, outside the way of writes: appends go on meanwhile and stay. A summary is
 * applied only to what it was made from.
 */
export class OverflowSummariser<M extends object> {
  readonly #access: RetentionAccess<M>
  readonly #settings: OverflowSettings<M>
  readonly #stopped = new AbortController()
  readonly #sessions = new Map<string, Overflow>()
  #running = 0

  constructor(access: RetentionAccess<M>, settings: OverflowSettings<M>) {
    this.#access = access
    this.#settings = settings
  }

  /** To be told of every new state. */
  notice(key: string, state: SessionState<M>): void {
    if (exceededLimit(this.#access.limits(key).overflow, state) === undefined) return
    if (this.#stopped.signal.aborted || this.#sessions.has(key)) return
    this.#sessions.set(key, { failures: 0, phase: 'queued', cancel: () => undefined })
    this.#startNext()
  }

  /** Does not wait for a model: what it still says is dropped. */
  stop(): void {
    this.#stopped.abort(new StoreError('CLOSED', 'The store is closed.'))
    for (const overflow of this.#sessions.values()) overflow.cancel()
    this.#sessions.clear()
  }

  #startNext(): void {
    for (const [key, overflow] of this.#sessions) {
      if (this.#running >= MAX_RUNNING) return
      if (overflow.phase !== 'queued') continue
      overflow.phase = 'running'
      this.#running++
      void this.#run(key, overflow)
    }
  }

  async #run(key: string, overflow: Overflow): Promise<void> {
    try {
      const isSmallEnough = await this.#summarise(key)
      overflow.failures = 0
      if (isSmallEnough) this.#sessions.delete(key)
      else overflow.phase = 'queued'
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#backOff(key, overflow, error)
    }
    this.#running--
    if (!this.#stopped.signal.aborted) this.#startNext()
  }

  /** @returns whether there is nothing more to do for now */
  async #summarise(key: string): Promise<boolean> {
    const access = this.#access
    const state = await access.states.load(key)
    const limit = access.limits(key).overflow
    const cut = limitCut(state, [], limit, access.toolLinks)
    if (cut === undefined) return true
    const { signal } = this.#stopped
    const view = messagesBetween(viewOf(key, state), cut.pinned, cut.boundary)
    const summary = await this.#settings.onOverflow(view, { signal })
    if (typeof summary !== 'string') throw new TypeError('onOverflow has to give the summary as a string.')
    signal.throwIfAborted()
    const through = view.positions.at(-1) as number
    // A CONFLICT (somebody else cut or summarised) is a failure like others, so that models are not asked in a circle.
    const { incarnation } = state
    const { pin } = limit
    await access.summarize(key, { summary, through, version: view.version, incarnation, pin })
    return false
  }

  #backOff(key: string, overflow: Overflow, cause: unknown): void {
    const delayMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** overflow.failures)
    overflow.failures++
    overflow.phase = 'backing-off'
    overflow.cancel = this.#settings.clock.schedule(() => {
      overflow.phase = 'queued'
      this.#startNext()
    }, delayMs)
    const message = `Session ${JSON.stringify(key)} is over its limit and could not be summarised (attempt ${overflow.failures}); nothing of it is lost. Next attempt in ${Math.round(delayMs / 1000)} seconds.`
    this.#settings.warn({ code: 'OVERFLOW_FAILED', message, session: key, cause })
  }
}

/** A part of a view; what is pinned in front of it stays, so nobody has to summarise it. */
function messagesBetween<M>(view: SessionView<M>, start: number, end: number): SessionView<M> {
  const { messages, positions, times, unfinished } = view
  const part = positions.slice(start, end)
  return {
    ...view,
    messages: messages.slice(start, end),
    positions: part,
    times: times.slice(start, end),
    unfinished: unfinished.filter((position) => part.includes(position)),
  }
}
