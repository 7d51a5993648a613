import type { Problem } from '@turnlog/core/backend'
import type { EventRun } from './events-of.ts'
import { eventsOf } from './events-of.ts'
import type { FoundHeader } from './find-header.ts'
import type { SalvagedLine } from './salvage-lines.ts'

const CHANGES: Readonly<Record<NonNullable<SalvagedLine['was']>, (seq: number) => string>> = {
  'without checksum': (seq) => `Compute the checksum of event ${seq} anew.`,
  flipped: (seq) => `Turn back one flipped bit in the line of event ${seq}: then it matches its checksum.`,
  'without end': (seq) => `End the line of event ${seq} anew.`,
}

/** Decides which lines of a file are kept, and words what happens to the others. Takes the lines in their order. */
export class RepairPlan {
  readonly actions: Problem[]
  readonly #place: { readonly file: string; readonly session: string }
  readonly #base: number
  readonly #tornAfter: number
  readonly #intactRuns: EventRun[] = []
  /** Lines since the last readable one that are lost. */
  #lost: SalvagedLine[] = []
  #last: number
  /** With which seq the append of the last readable line ends, or would have. */
  #end: number
  /** The logical start of the session, as far as the lines show it. */
  #first: number

  /** @param tornAfter Last event in front of an append that was never finished; `Infinity`: every event counts. */
  constructor({ header, actions }: FoundHeader, path: string, tornAfter: number) {
    this.actions = [...actions]
    this.#place = { file: path, session: header.session }
    this.#first = this.#base = header.base
    this.#tornAfter = tornAfter
    this.#last = this.#end = header.base - 1
  }

  add(salvaged: SalvagedLine): void {
    const { line, read, was } = salvaged
    if (read === undefined) {
      this.#lost.push(salvaged)
      return
    }
    const { seq, more, batchEnd } = read
    if (seq <= this.#last) {
      this.#report(`Drop a second line for event ${seq}.`, line, seq)
      return
    }
    this.#reportLost(seq - 1, line)
    if (was !== undefined) this.#report(CHANGES[was](seq), line, seq)
    const isNext = seq === this.#last + 1
    const from = (isNext ? this.#intactRuns.pop()?.from : undefined) ?? seq
    this.#intactRuns.push({ from, to: seq })
    this.#last = seq
    this.#end = seq + more
    // An edited line may not say it.
    if (batchEnd !== undefined && batchEnd.first > 0) this.#first = batchEnd.first
  }

  finish(): EventRun | undefined {
    this.#reportEnd()
    const intactRuns = this.#cutTorn()
    if (this.#first < this.#base) {
      const missing = eventsOf(this.#first, this.#base - 1)
      this.#report(`Begin the session where the file begins: there are no lines for ${missing}.`, 2, this.#base)
    }
    const kept = choose(intactRuns, this.#first)
    if (kept === undefined) return undefined
    const last = intactRuns.at(-1)?.to ?? kept.to
    const dropped = [
      ...(kept.from > this.#base ? [eventsOf(this.#base, kept.from - 1)] : []),
      ...(kept.to < last ? [eventsOf(kept.to + 1, last)] : []),
    ].join(' and ')
    if (dropped !== '') {
      const message = `Keep ${eventsOf(kept.from, kept.to)}, which is most of what counts, and drop ${dropped}.`
      this.actions.push({ ...this.#place, message, seq: kept.from })
    }
    return kept
  }

  /** What can be read, without the lines of an append that was never finished. */
  #cutTorn(): readonly EventRun[] {
    const last = this.#tornAfter
    if (this.#last <= last) return this.#intactRuns
    const message = `Cut off ${eventsOf(last + 1, this.#last)}, of an append that was never finished.`
    this.actions.push({ ...this.#place, message, seq: last + 1 })
    return this.#intactRuns.flatMap(({ from, to }) => (from > last ? [] : [{ from, to: Math.min(to, last) }]))
  }

  /** Reports the events after the last readable one. */
  #reportEnd(): void {
    const unfinished = this.#lost.at(-1)?.isTerminated === false ? this.#lost.pop() : undefined
    let next = this.#last + this.#lost.length + 1
    this.#reportLost(next - 1)
    const isTorn = this.#tornAfter !== Infinity
    if (unfinished !== undefined) {
      const { bytes, line } = unfinished
      if (isTorn) this.#report(`Cut off ${bytes} bytes of an unfinished last line.`, line)
      else this.#report(`Drop event ${next}: its line is not finished.`, line, next)
      next++
    }
    if (isTorn || next > this.#end) return
    const message = `Lines for ${eventsOf(next, this.#end)} are missing.`
    this.actions.push({ ...this.#place, message, seq: next })
  }

  /** Reports the events up to `to` that have no readable line. */
  #reportLost(to: number, line = 0): void {
    let seq = this.#last + 1
    for (const { line: at } of this.#lost) {
      if (seq <= to) this.#report(`Drop event ${seq}: its line is damaged.`, at, seq++)
      else this.#report('Drop a damaged line that is in the place of no event.', at)
    }
    this.#lost = []
    if (seq <= to) this.#report(`Lines for ${eventsOf(seq, to)} are missing.`, line, seq)
  }

  #report(message: string, line: number, seq?: number): void {
    this.actions.push({ ...this.#place, message, ...(seq === undefined ? {} : { seq }), line })
  }
}

/** The longest run. Events before `first`, which were trimmed, count only if nothing else is left. */
function choose(intactRuns: readonly EventRun[], first: number): EventRun | undefined {
  const lengthFrom = (start: number, { from, to }: EventRun): number => Math.max(0, to - Math.max(from, start) + 1)
  let kept: EventRun | undefined
  for (const run of intactRuns) {
    const gain = kept === undefined ? 0 : lengthFrom(first, run) - lengthFrom(first, kept)
    // Of equal ones take the last: then no seq is used again for another event.
    if (gain > 0 || kept === undefined || (gain === 0 && lengthFrom(0, run) >= lengthFrom(0, kept))) kept = run
  }
  return kept
}
