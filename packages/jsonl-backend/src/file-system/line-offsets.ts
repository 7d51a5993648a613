/** A line whose place in the file is known. */
export interface LineOffset {
  readonly seq: number
  readonly offset: number
}

/** Bytes between two remembered lines: one number pair for 64 KB of file, and at most one read to find a line. */
const SPACING_BYTES = 64 * 1024

/** Where some lines of a file begin, in order, so that a read need not look for newlines from the start. */
export class LineOffsets {
  readonly #lineOffsets: LineOffset[] = []

  /** Remembers a place unless one close by is known. */
  add(seq: number, offset: number): void {
    const index = this.#indexAfter(seq)
    const before = this.#lineOffsets[index - 1]
    const after = this.#lineOffsets[index]
    if (before !== undefined && offset - before.offset < SPACING_BYTES) return
    if (after !== undefined && after.offset - offset < SPACING_BYTES) return
    this.#lineOffsets.splice(index, 0, { seq, offset })
  }

  /** The known line at or before `seq`. */
  before(seq: number): LineOffset | undefined {
    return this.#lineOffsets[this.#indexAfter(seq) - 1]
  }

  /** The known line after `seq`. */
  after(seq: number): LineOffset | undefined {
    return this.#lineOffsets[this.#indexAfter(seq)]
  }

  /** Index of the first known line whose seq is larger. */
  #indexAfter(seq: number): number {
    let low = 0
    let high = this.#lineOffsets.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const candidate = this.#lineOffsets[middle]
      if (candidate !== undefined && candidate.seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }
}
