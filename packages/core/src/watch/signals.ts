/** Wakes whoever waits for a session in this process. */
export class Signals {
  readonly #waiting = new Map<string, Set<() => void>>()

  wake(session: string): void {
    const waiting = this.#waiting.get(session)
    if (waiting !== undefined) for (const resume of waiting) resume()
  }

  /** Calls back at every wake. @returns a function that ends this */
  listen(session: string, resume: () => void): () => void {
    const waiting = this.#waiting.get(session) ?? new Set()
    waiting.add(resume)
    this.#waiting.set(session, waiting)
    return () => {
      waiting.delete(resume)
      if (waiting.size === 0 && this.#waiting.get(session) === waiting) this.#waiting.delete(session)
    }
  }
}
