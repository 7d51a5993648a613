import { SingleFlight } from '@turnlog/storage-kit'

/**
 * Looks at files, one at a time for each name: of two side by side the older one could end last, and what it saw would
 * stand for what is there.
 */
export class SharedLooks<T> {
  readonly #looks = new Map<string, SingleFlight<T>>()

  /** `fresh`: the look must begin after the call; otherwise one that is under way will do. */
  take(name: string, fresh: boolean, work: () => Promise<T>): Promise<T> {
    const look = this.#looks.get(name) ?? new SingleFlight<T>()
    this.#looks.set(name, look)
    const forget = (): void => {
      if (look.running === undefined && this.#looks.get(name) === look) this.#looks.delete(name)
    }
    return (fresh ? look.after(work) : look.join(work)).finally(forget)
  }
}
