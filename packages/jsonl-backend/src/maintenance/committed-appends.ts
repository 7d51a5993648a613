import type { Header } from '../format/header.ts'
import type { Committed } from '../format/committed.ts'
import type { ReadableLine } from './repair-lines.ts'

interface Loss {
  readonly seq: number
  readonly isUnwritten: boolean
}

/**
 * Which appends of a damaged file were once complete, so that each of their events counts. For at most one append, the
 * last, there may be no proof. Its end is then judged as opening does: otherwise the result of `repair` would depend on
 * whether the store was opened first.
 */
export class CommittedAppends {
  readonly #base: number
  #last: number
  /** With which seq the append of the last readable line ends. */
  #end: number
  /** Seq of the last readable line. */
  #read: number
  /** The append that made the file begin with `base` is not read yet. */
  #isFirstAppendDue: boolean
  /** What is lost behind `#last`. */
  readonly #losses: Loss[] = []

  /** @param known What the sidecar remembers: all of it was acknowledged, if the incarnation is the same. */
  constructor({ base, incarnation, empty }: Header, known: Committed | undefined) {
    this.#base = base
    // A file gets its name only when its first append, or the one that trimmed everything before it, is complete.
    this.#isFirstAppendDue = empty === undefined
    this.#end = this.#read = base - 1
    this.#last = known?.head.incarnation === incarnation ? Math.max(this.#end, known.head.last) : this.#end
  }

  /** Seq of the last event that was certainly committed. */
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
  get isFirstAppendDue(): boolean {
    return this.#isFirstAppendDue && this.#read === this.#end
  }

  /** Takes the next readable line. `from`: since which event there is one for each. */
  add({ seq, more, batchEnd }: ReadableLine, from: number): void {
    // An append begins only after the one before it is complete.
    if (this.#end < seq) {
      this.#prove(this.#end)
      // It may have been the first append of the file.
      if (this.#read < this.#end) this.#isFirstAppendDue = false
    }
    if (this.#isFirstAppendDue) this.#prove(seq + more)
    this.#read = seq
    this.#end = seq + more
    if (batchEnd === undefined) return
    if (batchEnd.first >= this.#base) this.#isFirstAppendDue = false
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
