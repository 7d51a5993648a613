import type { Position, RunEntry } from '../events/run.ts'

/** One message of the view, beside the message itself. */
export interface ViewEntry extends RunEntry {
  /** Earlier positions of the same message, oldest first. */
  readonly of?: readonly Position[]
  readonly at: number
  /** About the length of its JSON text. */
  readonly bytes: number
  /** More of it is to come. */
  readonly unfinished?: true
}

/** Position, previous, time and bytes of each entry. */
const FIELDS = 4

/**
 * The entries of a view, side by side in one array of numbers. As an object each, with another one for its time, the
 * garbage collector carried them along twice before it left them alone: a twentieth of a cold read.
 *
 * Whoever reads stops at the length of its state: the list may be longer, see `SessionState`.
 */
export class EntryList {
  readonly #numbers: number[] = []
  /** Earlier positions, of the few messages that were moved, by index. */
  #of: Map<number, readonly Position[]> | undefined
  /** Indexes of messages that are not finished. */
  #unfinished: Set<number> | undefined

  static from(entries: readonly ViewEntry[]): EntryList {
    const list = new EntryList()
    for (let index = 0; index < entries.length; index++) {
      const { position, previous, at, bytes, of, unfinished } = entries[index] as ViewEntry
      list.set(index, position, previous, at, bytes, unfinished)
      if (of !== undefined) (list.#of ??= new Map()).set(index, of)
    }
    return list
  }

  /** Adds the entry of a message that was never moved. Whoever shares the list adds behind those that it was made with. */
  set(index: number, position: Position, previous: Position, at: number, bytes: number, unfinished?: true): void {
    const start = index * FIELDS
    this.#numbers[start] = position
    this.#numbers[start + 1] = previous
    this.#numbers[start + 2] = at
    this.#numbers[start + 3] = bytes
    if (unfinished === true) (this.#unfinished ??= new Set()).add(index)
    else this.#unfinished?.delete(index) // of a draft that was given up
  }

  at(index: number): ViewEntry {
    const position = this.position(index)
    const previous = this.#number(index, 1)
    const at = this.time(index)
    const bytes = this.bytes(index)
    const of = this.#of?.get(index)
    const entry: ViewEntry =
      of === undefined ? { position, previous, at, bytes } : { position, previous, of, at, bytes }
    return this.isUnfinished(index) ? { ...entry, unfinished: true } : entry
  }

  isUnfinished(index: number): boolean {
    return this.#unfinished?.has(index) === true
  }

  position(index: number): Position {
    return this.#number(index, 0)
  }

  time(index: number): number {
    return this.#number(index, 2)
  }

  bytes(index: number): number {
    return this.#number(index, 3)
  }

  /** Whether the message was ever handed out under this position. */
  has(index: number, position: Position): boolean {
    return this.position(index) === position || this.#of?.get(index)?.includes(position) === true
  }

  /** The first entries, in a list of their own. */
  copy(length: number): EntryList {
    return EntryList.from(Array.from({ length }, (_, index) => this.at(index)))
  }

  #number(index: number, field: number): number {
    return this.#numbers[index * FIELDS + field] as number
  }
}
