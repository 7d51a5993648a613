/** A line whose place in the file is known. */
export interface Anchor {
  readonly seq: number
  readonly offset: number
}

/** Bytes between two remembered lines: one number pair for 64 KB of file, and at most one read to find a line. */
const SPACING_BYTES = 64 * 1024

/** Where some lines of a file begin, in order, so that a read need not look for newlines from the start. */
export class Anchors {
  readonly #anchors: Anchor[] = []

  /** Remembers a place unless one close by is known. */
  add(seq: number, offset: number): void {
    const index = this.#indexAfter(seq)
    const before = this.#anchors[index - 1]
    const after = this.#anchors[index]
    if (before !== undefined && offset - before.offset < SPACING_BYTES) return
    if (after !== undefined && after.offset - offset < SPACING_BYTES) return
    this.#anchors.splice(index, 0, { seq, offset })
  }

  /** The known line at or before `seq`. */
  before(seq: number): Anchor | undefined {
    return this.#anchors[this.#indexAfter(seq) - 1]
  }

  /** The known line after `seq`. */
  after(seq: number): Anchor | undefined {
    return this.#anchors[this.#indexAfter(seq)]
  }

  /** Index of the first anchor whose seq is larger. */
  #indexAfter(seq: number): number {
    let low = 0
    let high = this.#anchors.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const anchor = this.#anchors[middle]
      if (anchor !== undefined && anchor.seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }
}
