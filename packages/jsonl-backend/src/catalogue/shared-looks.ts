interface Look<T> {
  readonly running: Promise<T>
  next: Promise<T> | undefined
}

/**
 * Looks at files, one at a time for each name: of two side by side the older one could end last, and what it saw would
 * stand for what is there. Whoever asks while one is under way shares the one after it.
 */
export class SharedLooks<T> {
  readonly #looks = new Map<string, Look<T>>()

  /** `fresh`: the look must begin after the call; otherwise one that is under way will do. */
  take(name: string, fresh: boolean, work: () => Promise<T>): Promise<T> {
    const look = this.#looks.get(name)
    if (look === undefined) return this.#start(name, work)
    if (!fresh) return look.running
    const start = (): Promise<T> => this.#start(name, work)
    look.next ??= look.running.then(start, start)
    return look.next
  }

  #start(name: string, work: () => Promise<T>): Promise<T> {
    const running = work().finally(() => {
      // Otherwise the next one takes its place, and nobody may begin a third beside it.
      if (look.next === undefined) this.#looks.delete(name)
    })
    const look: Look<T> = { running, next: undefined }
    this.#looks.set(name, look)
    return running
  }
}
