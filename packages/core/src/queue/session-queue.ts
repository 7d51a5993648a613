import type { Backend } from '../backend/backend.ts'
import { StoreError } from '../errors/store-error.ts'
import type { SessionState } from '../view/session-state.ts'
import { offer, outcomeAfter } from './append-draft.ts'
import type { Intent, Planned } from './intent.ts'
import { planBatch, prepareAll } from './plan-batch.ts'
import type { BatchPlan, Outcome, Refused } from './plan-batch.ts'

/** The most that one append carries, unless a single operation is larger: bounds latency and memory, not size. */
const MAX_APPEND_BYTES = 4 * 1024 * 1024

/** Checking, planning and encoding so much takes milliseconds each, so others have their turn in between. */
const LARGE_BYTES = 256 * 1024

/** How often a batch is planned anew because another process wrote first, before its callers are told. */
const MAX_TRIES = 100

/** What a queue needs from the store. */
export interface QueueContext<M> {
  readonly backend: Backend
  now(): number
  /** The settled state, fresh from the log if another process may have written. */
  load(session: string): Promise<SessionState<M>>
  /** The same, or its outline. */
  loadToAdd(session: string): SessionState<M> | Promise<SessionState<M>>
  /** The append was written; `state` is what the session is now. */
  settled(session: string, state: SessionState<M>): void
  /** What was known of the session cannot be trusted any more. */
  forget(session: string): void
}

interface Waiting<M> {
  readonly intent: Intent<M, object>
  resolve(result: object): void
  reject(error: unknown): void
}

/**
 * The writes of one session, in the order in which they were asked for. Whatever waits is planned together and written
 * by one append; nobody is answered before that append has settled, because a plan that counts on an earlier operation
 * of the same append is only true if the append is.
 */
export class SessionQueue<M> {
  readonly #session: string
  readonly #context: QueueContext<M>
  #waiting: Waiting<M>[] = []
  #running: Promise<void> | undefined

  constructor(session: string, context: QueueContext<M>) {
    this.#session = session
    this.#context = context
  }

  /** Something waits or is being written. Otherwise it may be dropped: another queue would begin where this one is. */
  get isBusy(): boolean {
    return this.#running !== undefined
  }

  /** Resolves when nothing is waiting any more. */
  get idle(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  enqueue<R extends object>(intent: Intent<M, R>): Promise<Planned<R>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ intent: intent, resolve: resolve, reject })
      this.#start()
    })
  }

  #start(): void {
    this.#running ??= this.#drain()
  }

  #finish(): void {
    this.#running = undefined
    if (this.#waiting.length > 0) this.#start()
  }

  /**
   * Plans what waits and writes it, batch after batch, until nothing waits. One function, because each that is awaited
   * costs every message a turn and garbage. Never rejects: every failure belongs to a caller.
   */
  async #drain(): Promise<void> {
    // Callers that were woken together ask together: one turn of the microtask queue lets them share an append.
    await Promise.resolve()
    let batch = this.#take()
    let tries = 0
    while (batch.length > 0) {
      tries++
      /** While they are being written. */
      let offered: readonly Outcome[] | undefined
      try {
        const planning = this.#plan(batch)
        const { settled, draft, outcomes } = planning instanceof Promise ? await planning : planning
        if (draft.events.length > 0) {
          offered = outcomes
          const append = { backend: this.#context.backend, session: this.#session, expectedLast: settled.last, draft }
          try {
            await offer(append)
          } catch (error) {
            if ((await outcomeAfter(error, append)) === 'conflict') {
              if (tries === MAX_TRIES) throw conflictForever(this.#session)
              this.#context.forget(this.#session)
              continue
            }
          }
          offered = undefined
          this.#context.settled(this.#session, draft.state)
        }
        const { intent } = batch.at(-1) as Waiting<M>
        if (intent.afterwards !== undefined) await goOn(intent.afterwards, outcomes)
        answer(batch, outcomes)
      } catch (error) {
        this.#context.forget(this.#session)
        if (offered === undefined) for (const waiting of batch) waiting.reject(error)
        else this.#rejectPlanned(batch, offered, error)
      }
      batch = this.#take()
      tries = 0
    }
    this.#finish()
  }

  /** At once if possible, because whatever is waited for costs every message a turn. */
  #plan(batch: readonly Waiting<M>[]): BatchPlan<M> | Promise<BatchPlan<M>> {
    const known = this.#load(batch)
    const intents = batch.map(({ intent }) => intent)
    const isLarge = bytesOf(batch) > LARGE_BYTES
    const isPrepared = intents.every(({ prepare }) => prepare === undefined)
    if (known instanceof Promise || isLarge || !isPrepared) return this.#planInTurns(known, intents, isLarge)
    return this.#planOn(known, intents)
  }

  async #planInTurns(
    known: SessionState<M> | Promise<SessionState<M>>,
    intents: readonly Intent<M, object>[],
    isLarge: boolean,
  ): Promise<BatchPlan<M>> {
    const settled = await known
    if (isLarge) await nextTurn()
    const plan = this.#planOn(settled, intents, await prepareAll(intents, settled))
    if (isLarge) await nextTurn()
    return plan
  }

  #planOn(settled: SessionState<M>, intents: readonly Intent<M, object>[], refused?: Refused): BatchPlan<M> {
    return planBatch(this.#session, settled, this.#context.now(), intents, refused)
  }

  /** What is known of the session, at once if possible. Who only adds needs no more than its outline. */
  #load(batch: readonly Waiting<M>[]): SessionState<M> | Promise<SessionState<M>> {
    const onlyAdds = batch.every(({ intent }) => intent.onlyAdds === true)
    return onlyAdds ? this.#context.loadToAdd(this.#session) : this.#context.load(this.#session)
  }

  #take(): Waiting<M>[] {
    let bytes = 0
    let count = 0
    for (const { intent } of this.#waiting) {
      bytes += intent.bytes
      if (count > 0 && bytes > MAX_APPEND_BYTES) break
      count++
      if (intent.afterwards !== undefined) break
    }
    return this.#waiting.splice(0, count)
  }

  /** The append failed. A refusal that was planned on top of it proves nothing, so those are asked again. */
  #rejectPlanned(batch: readonly Waiting<M>[], outcomes: readonly Outcome[], error: unknown): void {
    const again: Waiting<M>[] = []
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index] as Outcome
      if ('result' in outcome) waiting.reject(error)
      else again.push(waiting)
    }
    this.#waiting.unshift(...again)
  }
}

function bytesOf(batch: readonly Waiting<never>[]): number {
  let bytes = 0
  for (const { intent } of batch) bytes += intent.bytes
  return bytes
}

/** The last one of a batch has more to do; it is answered with how that went. */
async function goOn(afterwards: () => Promise<void>, outcomes: Outcome[]): Promise<void> {
  if ('error' in (outcomes.at(-1) as Outcome)) return
  await afterwards().catch((error: unknown) => {
    outcomes[outcomes.length - 1] = { error }
  })
}

function answer<M>(batch: readonly Waiting<M>[], outcomes: readonly Outcome[]): void {
  for (let index = 0; index < batch.length; index++) {
    const waiting = batch[index] as Waiting<M>
    const outcome = outcomes[index] as Outcome
    if ('error' in outcome) waiting.reject(outcome.error)
    else waiting.resolve(outcome.result)
  }
}

/** A timer waits for a millisecond at least, but is all that browsers have. */
const later: (task: () => void) => void = typeof setImmediate === 'function' ? setImmediate : setTimeout

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve)
  })
}

function conflictForever(session: string): StoreError {
  return new StoreError(
    'CONFLICT',
    `Other processes wrote to session ${JSON.stringify(session)} before each of ${MAX_TRIES} attempts. Retry later.`,
    { session },
  )
}
