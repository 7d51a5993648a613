/** Operations of several steps, which are in no queue during some of them: closing waits until they have come to an end. */
export class Unfinished {
  readonly #works = new Set<Promise<unknown>>()

  add<T>(work: Promise<T>): Promise<T> {
    this.#works.add(work)
    const leave = (): void => void this.#works.delete(work)
    work.then(leave, leave)
    return work
  }

  /** Resolves when those of now have ended, however. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#works)
  }
}
