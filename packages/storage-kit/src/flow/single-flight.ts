/** Work of which at most one run is under way at a time. */
export class SingleFlight<T> {
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  /** The run that is under way. */
  get running(): Promise<T> | undefined {
    return this.#running
  }

  /** The run that is under way, or a new one. */
  join(work: () => Promise<T>): Promise<T> {
    return this.#running ?? this.#start(work)
  }

  /**
   * A run that begins after the call. The one under way may have looked before the caller's change; all who call
   * meanwhile share the one after it.
   */
  after(work: () => Promise<T>): Promise<T> {
    if (this.#running === undefined) return this.#start(work)
    const start = (): Promise<T> => this.#start(work)
    this.#next ??= this.#running.then(start, start)
    return this.#next
  }

  #start(work: () => Promise<T>): Promise<T> {
    this.#next = undefined
    this.#running = work().finally(() => {
      // Otherwise the next one is about to take its place, and no third may begin beside it.
      if (this.#next === undefined) this.#running = undefined
    })
    return this.#running
  }
}
