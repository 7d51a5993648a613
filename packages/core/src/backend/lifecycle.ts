import { StoreError } from '../errors/store-error.ts'
import type { OpenReport } from './backend.ts'

/**
 * The states of a backend (closed, opening, open, closing) and who waits for whom, so that no backend has to write
 * it again: concurrent opens share one attempt, `close` waits for work in flight, a failed open leaves it closed.
 */
export class Lifecycle {
  readonly #name: string
  #state: 'closed' | 'opening' | 'open' | 'closing' = 'closed'
  #opening: Promise<OpenReport> | undefined
  #closing: Promise<void> | undefined
  /** Calls in flight, and who waits for them to end. */
  #inFlight = 0
  #ended: (() => void) | undefined

  constructor(name: string) {
    this.#name = name
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** @throws `CLOSED` */
  check(): void {
    if (this.#state !== 'open') {
      throw new StoreError('CLOSED', `The ${this.#name} backend is ${this.#state}. Call open() and wait for it first.`)
    }
  }

  /**
   * The check for the steps of one iterator or call: it ends with the life in which it was begun, also when the backend
   * has been opened again meanwhile. Call this at the first step, what it returns at every later one.
   *
   * @throws `CLOSED`
   */
  guard(): () => void {
    this.check()
    const life = this.#opening
    return () => {
      this.check()
      if (this.#opening !== life) {
        throw new StoreError('CLOSED', `The ${this.#name} backend was closed meanwhile. Open it and begin again.`)
      }
    }
  }

  open(acquire: () => Promise<OpenReport>): Promise<OpenReport> {
    if (this.#opening !== undefined) return this.#opening
    const closing = this.#closing
    const attempt = async (): Promise<OpenReport> => {
      await closing?.catch(() => undefined) // the one who closed is told; opening anew is allowed either way
      this.#state = 'opening'
      try {
        const report = await acquire()
        this.#state = 'open'
        return report
      } catch (error) {
        this.#state = 'closed'
        if (this.#opening === opening) this.#opening = undefined
        throw error
      }
    }
    const opening = attempt()
    this.#opening = opening
    return opening
  }

  close(release: () => Promise<void>): Promise<void> {
    const opening = this.#opening
    if (opening === undefined) return this.#closing ?? Promise.resolve()
    this.#opening = undefined
    // From here on new work is refused, also in the ticks before the work in flight has been waited for.
    if (this.#state === 'open') this.#state = 'closing'
    const attempt = async (): Promise<void> => {
      try {
        await opening
      } catch {
        return // a failed open has released everything and told its caller
      }
      this.#state = 'closing'
      try {
        await this.#idle()
        await release()
      } finally {
        this.#state = 'closed'
      }
    }
    const closing = attempt().finally(() => {
      if (this.#closing === closing) this.#closing = undefined
    })
    this.#closing = closing
    return closing
  }

  /** Runs work that `close` has to wait for. @throws `CLOSED` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.begin()
    try {
      return await work()
    } finally {
      this.end()
    }
  }

  /** The same for who ends it, in any case, and does without a function around the work. @throws `CLOSED` */
  begin(): void {
    this.check()
    this.#inFlight += 1
  }

  end(): void {
    this.#inFlight -= 1
    if (this.#inFlight === 0) this.#ended?.()
  }

  async #idle(): Promise<void> {
    if (this.#inFlight === 0) return
    await new Promise<void>((resolve) => {
      this.#ended = resolve
    })
    this.#ended = undefined
  }
}
