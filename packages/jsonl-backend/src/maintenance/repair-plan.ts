import type { Problem } from '@turnlog/core/backend'
import type { FoundHeader } from './find-header.ts'
import type { SalvagedLine } from './salvage-lines.ts'

/** Events that follow each other and can all be read; `to` ends a batch. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

const CHANGES: Readonly<Record<NonNullable<SalvagedLine['was']>, (seq: number) => string>> = {
  'without checksum': (seq) => `Compute the checksum of event ${seq} anew.`,
  flipped: (seq) => `Turn back one flipped bit in the line of event ${seq}: then it matches its checksum.`,
  'without end': (seq) => `End the line of event ${seq} anew.`,
}

/** What is said about the lines of a file, which are told in their order, and which of them are kept. */
export class RepairPlan {
  readonly actions: Problem[]
  readonly #place: { readonly file: string; readonly session: string }
  readonly #base: number
  readonly #isMadeAnew: boolean
  readonly #stretches: Stretch[] = []
  #stretch: Stretch | undefined
  /** Lines since the last readable one that are lost. */
  #lost: SalvagedLine[] = []
  #last: number
  /** The logical start of the session, as far as the lines tell. */
  #first: number | undefined
  #isDamaged = false

  constructor({ header, actions, isMadeAnew }: FoundHeader, path: string) {
    this.actions = [...actions]
    this.#place = { file: path, session: header.session }
    this.#base = header.base
    this.#isMadeAnew = isMadeAnew
    this.#last = header.base - 1
  }

  add(salvaged: SalvagedLine): void {
    const { line, read, was } = salvaged
    if (read === undefined) {
      this.#lost.push(salvaged)
      return
    }
    const { seq, more, batchEnd } = read
    if (seq <= this.#last) {
      this.#tell(`Drop a second line for event ${seq}.`, line, seq)
      return
    }
    this.#tellLost(seq - 1, line)
    if (seq > this.#last + 1) this.#stretch = undefined
    if (was !== undefined) this.#tell(CHANGES[was](seq), line, seq)
    this.#stretch = { from: this.#stretch?.from ?? seq, to: more === 0 ? seq : (this.#stretch?.to ?? seq - 1) }
    if (this.#stretches.at(-1)?.from === this.#stretch.from) this.#stretches.pop()
    this.#stretches.push(this.#stretch)
    this.#last = seq
    if (batchEnd !== undefined) this.#first = Math.max(this.#first ?? 0, batchEnd.first)
  }

  finish(): Stretch | undefined {
    const unfinished = this.#lost.at(-1)?.isTerminated === false ? this.#lost.pop() : undefined
    const last = this.#last
    this.#tellLost(last + this.#lost.length)
    if (unfinished !== undefined) {
      this.#tell(`Cut off ${unfinished.bytes} bytes of an unfinished last line.`, unfinished.line)
    }
    const first = this.#first ?? this.#base
    if (this.#isMadeAnew && first > 0 && first < this.#base) {
      this.#tell(`Lines for ${eventsOf(first, this.#base - 1)} are missing.`, 2, first)
    }
    const kept = this.#choose(first)
    if (kept === undefined) return undefined
    const dropped = [
      ...(kept.from > this.#base ? [eventsOf(this.#base, kept.from - 1)] : []),
      ...(kept.to < last ? [eventsOf(kept.to + 1, last)] : []),
    ].join(' and ')
    if (dropped !== '' && this.#isDamaged) {
      const what = eventsOf(kept.from, kept.to)
      const message = `Keep ${what}, the longest stretch without damage, and drop ${dropped}.`
      this.actions.push({ ...this.#place, message, seq: kept.from })
    } else if (dropped !== '') {
      const message = `Cut off ${dropped}, of an append that was never finished.`
      this.actions.push({ ...this.#place, message, seq: kept.to + 1 })
    }
    return kept
  }

  /** Events that were trimmed count only if nothing else is left. */
  #choose(first: number): Stretch | undefined {
    const live = ({ from, to }: Stretch): number => Math.max(0, to - Math.max(from, first) + 1)
    let best: Stretch | undefined
    for (const stretch of this.#stretches) {
      if (lengthOf(stretch) === 0) continue
      const gain = best === undefined ? 1 : live(stretch) - live(best) || lengthOf(stretch) - lengthOf(best)
      if (gain > 0) best = stretch
    }
    return best
  }

  /** Says what became of the events up to `to`, of which there is no readable line. */
  #tellLost(to: number, line = 0): void {
    let seq = this.#last + 1
    for (const lost of this.#lost) {
      if (seq <= to) this.#tell(`Drop event ${seq}: its line is damaged.`, lost.line, seq++)
      else this.#tell('Drop a damaged line that is in the place of no event.', lost.line)
    }
    this.#lost = []
    this.#isDamaged ||= this.#last < to
    if (seq <= to) this.#tell(`Lines for ${eventsOf(seq, to)} are missing.`, line, seq)
  }

  #tell(message: string, line: number, seq?: number): void {
    this.actions.push({ ...this.#place, message, ...(seq === undefined ? {} : { seq }), line })
  }
}

/** In words. */
function eventsOf(from: number, to: number): string {
  return from === to ? `event ${from}` : `events ${from} to ${to}`
}

function lengthOf({ from, to }: Stretch): number {
  return to - from + 1
}
