/** An event row, by the seqs of the events in it. */
export interface FoundRow {
  readonly from: number
  /** Also the seq in its key. */
  readonly to: number
  readonly bytes: number
  readonly isSegment: boolean
}

/** Rows whose events follow each other without a gap. */
export interface IntactRun {
  readonly from: number
  readonly to: number
  readonly rows: readonly FoundRow[]
}

/** The event rows of one session as they are found in a damaged store, in the order of their keys. */
export class FoundRows {
  readonly #rows: FoundRow[] = []
  readonly #covered: FoundRow[] = []

  /**
   * Rows that were sealed into a segment come before it, if the block with their deletions is lost. Readers take each
   * seq from the first row at or after it, so a few of them would hide the segment.
   */
  add(row: FoundRow): void {
    for (let last = this.#rows.at(-1); last !== undefined && last.from >= row.from; last = this.#rows.at(-1)) {
      this.#covered.push(last)
      this.#rows.pop()
    }
    this.#rows.push(row)
  }

  /** Without those that are covered. */
  get rows(): readonly FoundRow[] {
    return this.#rows
  }

  /** Those whose events are all in a segment as well. */
  get covered(): readonly FoundRow[] {
    return this.#covered
  }

  get runs(): readonly IntactRun[] {
    const runs: { from: number; to: number; rows: FoundRow[] }[] = []
    for (const row of this.#rows) {
      const last = runs.at(-1)
      if (last === undefined || row.from > last.to + 1) runs.push({ from: row.from, to: row.to, rows: [row] })
      else {
        last.to = row.to
        last.rows.push(row)
      }
    }
    return runs
  }
}
