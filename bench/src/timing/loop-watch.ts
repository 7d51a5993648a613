/** Watches for stops of the event loop. */
export class LoopWatch {
  readonly #longest: Record<string, number> = {}

  /** The longest stop in milliseconds, by name. */
  get longest(): Readonly<Record<string, number>> {
    return this.#longest
  }

  /**
   * Runs the work and notes its longest stop. A stop is the lesser of what the clock and what the processor time of
   * the process say: a process that waits for its turn on a busy machine does not block anything by itself.
   */
  async during(name: string, work: () => Promise<unknown>): Promise<void> {
    let longest = 0
    let isRunning = true
    let time = performance.now()
    let cpu = process.cpuUsage()
    const look = (): void => {
      const now = performance.now()
      const { user, system } = process.cpuUsage(cpu)
      longest = Math.max(longest, Math.min(now - time, (user + system) / 1000))
      time = now
      cpu = process.cpuUsage()
    }
    const tick = (): void => {
      look()
      if (isRunning) setImmediate(tick)
    }
    tick()
    await work()
    isRunning = false
    look()
    this.#longest[name] = Math.max(this.#longest[name] ?? 0, longest)
  }
}
