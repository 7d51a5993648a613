import { SingleFlight } from '@turnlog/storage-kit'

/**
 * Looks at files, one at a time for each name: of two side by side the older one could end last, and what it saw would
 * stand for what is there.
 */
export class SharedScans<T> {
  readonly #scans = new Map<string, SingleFlight<T>>()

  /** `fresh`: the inspection must begin after the call; otherwise one that is under way will do. */
  take(name: string, fresh: boolean, work: () => Promise<T>): Promise<T> {
    const scan = this.#scans.get(name) ?? new SingleFlight<T>()
    this.#scans.set(name, scan)
    const forget = (): void => {
      if (scan.running === undefined && this.#scans.get(name) === scan) this.#scans.delete(name)
    }
    return (fresh ? scan.after(work) : scan.join(work)).finally(forget)
  }
}
