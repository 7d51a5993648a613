import type { Clock } from '../runtime/clock.ts'
import type { StoreWarning } from '../runtime/store-warning.ts'
import { isStoreError } from '../errors/store-error.ts'
import type { SweepResult } from '../store/session-store.ts'
import type { SweepSchedule } from './policies.ts'

export const DEFAULT_INTERVAL_MS: number = 10 * 60 * 1000
const DEFAULT_JITTER = 0.1

export interface SweeperContext {
  readonly clock: Required<Clock>
  step(signal: AbortSignal): Promise<SweepResult>
  /** Between two steps. */
  giveWay(): Promise<void>
  warn(warning: StoreWarning): void
}

/** Runs sweeps, one step at a time: by the clock once started, and by hand. */
export class Sweeper {
  readonly #context: SweeperContext
  readonly #stopped = new AbortController()
  /** The step under way and those that wait for it. */
  #last: Promise<unknown> = Promise.resolve()
  #cancel: () => void = () => undefined

  constructor(context: SweeperContext) {
    this.#context = context
  }

  start({ intervalMs = DEFAULT_INTERVAL_MS, jitter = DEFAULT_JITTER }: SweepSchedule): void {
    const wait = (): void => {
      if (this.#stopped.signal.aborted) return
      const delayMs = intervalMs * (1 + jitter * Math.random())
      this.#cancel = this.#context.clock.schedule(() => void this.#sweepAll().then(wait), delayMs)
    }
    wait()
  }

  /** One step, after those that were asked for before. */
  step(): Promise<SweepResult> {
    const step = this.#last.then(() => this.#context.step(this.#stopped.signal))
    this.#last = step.catch(() => undefined) // whoever asked for it is told
    return step
  }

  /** Ends the step under way after the session that it is at, and waits for that. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#cancel()
    await this.#last
  }

  /** Steps until every session has been looked at. Never rejects. */
  async #sweepAll(): Promise<void> {
    try {
      while (!this.#stopped.signal.aborted && !(await this.step()).done) await this.#context.giveWay()
    } catch (error) {
      if (isStoreError(error, 'CLOSED')) return
      const message = 'A sweep failed; see cause. The next one comes after the usual interval.'
      this.#context.warn({ code: 'SWEEP_FAILED', message, cause: error })
    }
  }
}
