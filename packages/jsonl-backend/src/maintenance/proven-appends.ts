import type { Header } from '../format/header.ts'
import type { Committed } from '../format/committed.ts'
import type { ReadableLine } from './repair-lines.ts'

interface Loss {
  readonly seq: number
  readonly isUnwritten: boolean
}

/**
 * Which appends of a damaged file were finished once, so that each of their events counts. Of at most one append, the
 * last, nothing may tell that; then its end is judged as opening judges it, or what `repair` keeps would depend on
 * whether somebody opened the store first.
 */
export class ProvenAppends {
  readonly #base: number
  #last: number
  /** With which seq the append of the last readable line ends. */
  #end: number
  /** Seq of the last readable line. */
  #read: number
  /** The append that made the file begin with `base` is not read yet. */
  #isFounderDue: boolean
  /** What is lost behind `#last`. */
  readonly #losses: Loss[] = []

  /** @param known What the sidecar remembers: all of that was acknowledged, if it is of the same life. */
  constructor({ base, incarnation, empty }: Header, known: Committed | undefined) {
    this.#base = base
    // A file gets its name only with the append whole that began it, or trimmed all before it; some have none.
    this.#isFounderDue = empty === undefined
    this.#end = this.#read = base - 1
    this.#last = known?.head.incarnation === incarnation ? Math.max(this.#end, known.head.last) : this.#end
  }

  /** Seq of the last event of which it is certain. */
  get last(): number {
    return this.#last
  }

  /** With which seq the append of the last readable line ends, or would have. */
  get end(): number {
    return this.#end
  }

  /**
   * The last append was never finished: its lines are as they were written, up to the end of the file or to sectors
   * that were never written. If another line is wrong, all of it had been written, so it is damaged and not torn.
   */
  get isTorn(): boolean {
    if (this.#read <= this.#last) return false
    return this.#losses.find(({ seq }) => seq > this.#last)?.isUnwritten ?? true
  }

  /** The append for which the file was written comes behind the last readable line. */
  get isFounderDue(): boolean {
    return this.#isFounderDue && this.#read === this.#end
  }

  /** Takes the next readable line. `from`: since which event there is one for each. */
  add({ seq, more, batchEnd }: ReadableLine, from: number): void {
    // Nobody begins an append before the one in front of it is finished.
    if (this.#end < seq) {
      this.#prove(this.#end)
      // It may have been the one.
      if (this.#read < this.#end) this.#isFounderDue = false
    }
    if (this.#isFounderDue) this.#prove(seq + more)
    this.#read = seq
    this.#end = seq + more
    if (batchEnd === undefined) return
    if (batchEnd.first >= this.#base) this.#isFounderDue = false
    const before = seq - batchEnd.lines
    this.#prove(from <= Math.max(this.#base, before + 1) ? seq : before)
  }

  /** There is no readable line for an event. `isUnwritten`: as after a crash that came before all sectors were written. */
  lose(seq: number, isUnwritten: boolean): void {
    this.#losses.push({ seq, isUnwritten })
  }

  #prove(seq: number): void {
    this.#last = Math.max(this.#last, seq)
  }
}
