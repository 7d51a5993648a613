import type { AppendRequest } from './append-request.ts'

interface Waiting {
  readonly request: AppendRequest
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** A group holds the write lock, and others wait for it. */
const MAX_APPENDS = 256
const MAX_BYTES = 4 * 1024 * 1024

/** Hands over what waits as one group, one at a time: what comes meanwhile is the next group. */
export class GroupCommit {
  readonly #write: (group: readonly AppendRequest[]) => Promise<readonly (Error | undefined)[]>
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  /** @param write gives what became of each append, in their order */
  constructor(write: (group: readonly AppendRequest[]) => Promise<readonly (Error | undefined)[]>) {
    this.#write = write
  }

  append(request: AppendRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    await Promise.resolve() // those who ask in the same turn come along
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup()
      try {
        const outcomes = await this.#write(group.map(({ request }) => request))
        for (const [index, { resolve, reject }] of group.entries()) {
          const error = outcomes[index]
          if (error === undefined) resolve()
          else reject(error)
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
      await Promise.resolve() // those who were just answered ask again
    }
    this.#writing = undefined
  }

  #nextGroup(): Waiting[] {
    let bytes = 0
    let count = 0
    while (count < this.#waiting.length && count < MAX_APPENDS && bytes < MAX_BYTES) {
      bytes += this.#waiting[count++]?.request.bytes ?? 0
    }
    return this.#waiting.splice(0, count)
  }
}
