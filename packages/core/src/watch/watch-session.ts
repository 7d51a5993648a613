import { isStoreError, StoreError } from '../errors/store-error.ts'
import type { SessionEvent } from '../events/session-event.ts'
import { upcast } from '../events/upcast.ts'
import { freezeAndMeasure } from '../normalise/freeze.ts'
import type { EventSource } from '../view/read-events.ts'
import { explainGap } from '../view/read-events.ts'
import { onAbort } from './on-abort.ts'
import type { Signals } from './signals.ts'

/** How often other processes are looked for where no hint comes from the backend. */
const POLL_MS = 500

export interface WatchContext {
  readonly source: EventSource
  readonly signals: Signals
  /** Another process may write, so signals of this one are not enough. */
  readonly polls: boolean
  /** Aborted when the store closes. */
  readonly closed: AbortSignal
}

/** Where a watch begins, as it was when it was asked for. */
export interface WatchStart {
  /** What the caller asked for. */
  readonly after: number | undefined
  readonly seen: number
  /** `undefined` if there was no such session. */
  readonly incarnation: string | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Every event after a seq. Reads the log from there on, and waits for a wake-up at its end. A wake-up carries no data: whatever is delivered
 * was read from the log and follows what was delivered before, so nothing is missed, doubled or out of order, however slow the consumer is.
 *
 * @throws `TRIMMED` if events were removed before they were delivered
 * @throws `CORRUPT` if one is missing that must be there
 */
export function watchSession<M>(
  context: WatchContext,
  session: string,
  start: Promise<WatchStart>,
): AsyncIterableIterator<SessionEvent<M>> {
  // Its own, and aborted whichever way the watch ends: what the backend set up for it must not stay until the store closes.
  const ended = new AbortController()
  const events = follow<M>(context, session, start, ended)
  return {
    next: () => events.next(),
    // A generator hears of it only when its present wait is over, and that may be never.
    return: (value) => {
      ended.abort()
      return events.return(value)
    },
    throw: (error) => {
      ended.abort()
      return events.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* follow<M>(
  { source, signals, polls, closed }: WatchContext,
  session: string,
  start: Promise<WatchStart>,
  ended: AbortController,
): AsyncGenerator<SessionEvent<M>> {
  const { backend } = source
  const { after, signal, ...begin } = await start
  let { seen, incarnation } = begin
  const end = (): void => ended.abort()
  const leaveStore = onAbort(closed, end)
  const leaveCaller = signal === undefined ? undefined : onAbort(signal, end)
  const bell = new Bell(session, signals, ended.signal)
  try {
    if (polls) bell.ringBy(backend.wake?.(session, ended.signal))
    while (!ended.signal.aborted) {
      const rung = bell.next(polls ? POLL_MS : undefined)
      const head = await backend.head(session)
      if (head !== undefined && head.incarnation !== incarnation) {
        // Made, or erased and made anew: all of it is new. A copy may begin anywhere.
        if (incarnation !== undefined || after === undefined) seen = head.first - 1
        incarnation = head.incarnation
      }
      if (head === undefined || head.last <= seen) {
        await rung
        continue
      }
      if (head.first > seen + 1) throw trimmed(session, seen + 1, head.first)
      reading: for await (const batch of backend.read(session, [{ from: seen + 1, to: head.last }])) {
        for (const record of batch) {
          if (ended.signal.aborted) return
          if (record.seq !== seen + 1) break reading
          freezeAndMeasure(record)
          yield upcast<M>(session, record, source.schema)
          seen = record.seq
        }
      }
      // Trimmed meanwhile, erased or taken back: the head tells at the next round. Otherwise it is lost.
      if (seen < head.last) await explainGap(source, session, head, seen + 1)
    }
  } catch (error) {
    if (ended.signal.aborted && isStoreError(error, 'CLOSED')) return
    throw error
  } finally {
    leaveStore()
    leaveCaller?.()
    end()
    bell.silence()
  }
}

function trimmed(session: string, seq: number, first: number): StoreError {
  return new StoreError(
    'TRIMMED',
    `Events ${seq} to ${first - 1} of session ${JSON.stringify(session)} were removed before they were delivered. Load the session and watch from its version.`,
    { session, seq },
  )
}

/** Brings the ways of being woken together: this process, a hint from the backend, the clock, the end. */
class Bell {
  readonly #ended: AbortSignal
  readonly #leave: () => void
  #rung = false
  #resume: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(session: string, signals: Signals, ended: AbortSignal) {
    this.#ended = ended
    this.#leave = signals.listen(session, this.#ring)
    ended.addEventListener('abort', this.#ring)
  }

  /** Resolves at the first ring since this call, so that nothing between it and waiting for it is missed. */
  next(pollMs: number | undefined): Promise<void> {
    this.#rung = false
    return new Promise((resolve) => {
      this.#resume = resolve
      clearTimeout(this.#timer)
      this.#timer = pollMs === undefined ? undefined : setTimeout(this.#ring, pollMs)
      // A watch alone must not keep a process alive, where the runtime lets a timer be ignored.
      ;(this.#timer as { unref?: () => void } | undefined)?.unref?.()
      if (this.#rung || this.#ended.aborted) resolve()
    })
  }

  ringBy(hints: AsyncIterable<void> | undefined): void {
    if (hints === undefined) return
    const listen = async (): Promise<void> => {
      for await (const _hint of hints) this.#ring()
    }
    listen().catch(() => undefined) // hints may end or fail; polling goes on
  }

  silence(): void {
    this.#leave()
    clearTimeout(this.#timer)
    this.#ended.removeEventListener('abort', this.#ring)
    this.#ring()
  }

  readonly #ring = (): void => {
    this.#rung = true
    this.#resume?.()
  }
}
