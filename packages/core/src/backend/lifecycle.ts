import { StoreError } from '../errors/store-error.ts'

/**
 * The states of a backend (closed, opening, open, closing) and who waits for whom: concurrent opens share one attempt,
 * `close` waits for work in flight, a failed open leaves it closed. `T` is what exists while it is open.
 */
export class Lifecycle<T> {
  readonly #name: string
  #state: 'closed' | 'opening' | 'open' | 'closing' = 'closed'
  #opened: T | undefined
  #opening: Promise<T> | undefined
  #closing: Promise<void> | undefined
  #inFlight = 0
  #ended: (() => void) | undefined

  constructor(name: string) {
    this.#name = name
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** @throws `CLOSED` */
  get opened(): T {
    if (this.#state === 'open' && this.#opened !== undefined) return this.#opened
    throw new StoreError('CLOSED', `The ${this.#name} backend is ${this.#state}. Call open() and wait for it first.`)
  }

  /** For the steps of an iterator, which ends with `opened` although the backend may be open again. @throws `CLOSED` */
  checkStill(opened: T): void {
    if (this.opened === opened) return
    throw new StoreError('CLOSED', `The ${this.#name} backend was closed meanwhile. Open it and begin again.`)
  }

  open(acquire: () => Promise<T>): Promise<T> {
    if (this.#opening !== undefined) return this.#opening
    const closing = this.#closing
    const attempt = async (): Promise<T> => {
      await closing?.catch(() => undefined) // the caller of close gets the error; opening again is allowed either way
      this.#state = 'opening'
      try {
        const opened = await acquire()
        this.#opened = opened
        this.#state = 'open'
        return opened
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

  /** `stop` runs at once and ends what would go on for long, `release` when nothing is in flight any more. */
  close(stop: (opened: T) => void, release: (opened: T) => Promise<void>): Promise<void> {
    const opening = this.#opening
    if (opening === undefined) return this.#closing ?? Promise.resolve()
    this.#opening = undefined
    // New work is refused from here on, also in the ticks before the work in flight has been waited for.
    if (this.#state === 'open') this.#state = 'closing'
    const attempt = async (): Promise<void> => {
      let opened: T
      try {
        opened = await opening
      } catch {
        return // a failed open has released everything and its caller got the error
      }
      this.#state = 'closing'
      try {
        stop(opened)
        await this.#idle()
        await release(opened)
      } finally {
        this.#opened = undefined
        this.#state = 'closed'
      }
    }
    const closing = attempt().finally(() => {
      if (this.#closing === closing) this.#closing = undefined
    })
    this.#closing = closing
    return closing
  }

  /** Before work that `close` has to wait for; call `end` afterwards in any case. @throws `CLOSED` */
  begin(): T {
    const { opened } = this
    this.#inFlight++
    return opened
  }

  end(): void {
    this.#inFlight--
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
