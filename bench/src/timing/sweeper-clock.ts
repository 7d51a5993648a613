/** A store's clock by which its sweeper sweeps again after a millisecond while it runs, and not at all while it stands. */
export class SweeperClock {
  #isRunning = false
  #waiting: (() => void) | undefined

  readonly now: () => number = Date.now

  schedule(task: () => void): () => void {
    this.#waiting = task
    if (this.#isRunning) setTimeout(() => this.#resume(), 1)
    return () => undefined
  }

  run(): void {
    this.#isRunning = true
    this.#resume()
  }

  stop(): void {
    this.#isRunning = false
  }

  #resume(): void {
    const task = this.#waiting
    this.#waiting = undefined
    task?.()
  }
}
