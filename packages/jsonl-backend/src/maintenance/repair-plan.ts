import type { Problem } from '@turnlog/core/backend'
import type { Committed } from '../format/committed.ts'
import { eventsOf } from './events-of.ts'
import type { FoundHeader } from './find-header.ts'
import { ProvenAppends } from './proven-appends.ts'
import type { SalvagedLine } from './salvage-lines.ts'

/** Events that follow each other and can all be read. */
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
  readonly #proven: ProvenAppends
  readonly #stretches: Stretch[] = []
  /** Lines since the last readable one that are lost. */
  #lost: SalvagedLine[] = []
  #last: number
  /** The logical start of the session, as far as the lines tell. */
  #first: number | undefined

  /** @param known What the sidecar remembers of the file. */
  constructor({ header, actions, isMadeAnew }: FoundHeader, path: string, known: Committed | undefined) {
    this.actions = [...actions]
    this.#place = { file: path, session: header.session }
    this.#base = header.base
    this.#isMadeAnew = isMadeAnew
    this.#last = header.base - 1
    this.#proven = new ProvenAppends(header, known)
  }

  add(salvaged: SalvagedLine): void {
    const { line, read, was } = salvaged
    if (read === undefined) {
      this.#lost.push(salvaged)
      return
    }
    const { seq, batchEnd } = read
    if (seq <= this.#last) {
      this.#tell(`Drop a second line for event ${seq}.`, line, seq)
      return
    }
    this.#tellLost(seq - 1, line)
    if (was !== undefined) this.#tell(CHANGES[was](seq), line, seq)
    const isNext = seq === this.#last + 1
    const from = (isNext ? this.#stretches.pop()?.from : undefined) ?? seq
    this.#stretches.push({ from, to: seq })
    this.#proven.add(read, from)
    this.#last = seq
    if (batchEnd !== undefined) this.#first = Math.max(this.#first ?? 0, batchEnd.first)
  }

  finish(): Stretch | undefined {
    this.#tellEnd()
    const stretches = this.#cutTorn()
    const first = this.#first ?? this.#base
    if (this.#isMadeAnew && first > 0 && first < this.#base) {
      this.#tell(`Lines for ${eventsOf(first, this.#base - 1)} are missing.`, 2, first)
    }
    const { kept, which } = choose(stretches, first)
    if (kept === undefined) return undefined
    const last = stretches.at(-1)?.to ?? kept.to
    const dropped = [
      ...(kept.from > this.#base ? [eventsOf(this.#base, kept.from - 1)] : []),
      ...(kept.to < last ? [eventsOf(kept.to + 1, last)] : []),
    ].join(' and ')
    if (dropped !== '') {
      const message = `Keep ${eventsOf(kept.from, kept.to)}, ${which}, and drop ${dropped}.`
      this.actions.push({ ...this.#place, message, seq: kept.from })
    }
    return kept
  }

  /** What can be read, without the lines of an append that was never finished. */
  #cutTorn(): readonly Stretch[] {
    const { isTorn, last } = this.#proven
    if (!isTorn) return this.#stretches
    const message = `Cut off ${eventsOf(last + 1, this.#last)}, of an append that was never finished.`
    this.actions.push({ ...this.#place, message, seq: last + 1 })
    return this.#stretches.flatMap(({ from, to }) => (from > last ? [] : [{ from, to: Math.min(to, last) }]))
  }

  /** Says what became of the events behind the last one that can be read. */
  #tellEnd(): void {
    const unfinished = this.#lost.at(-1)?.isTerminated === false ? this.#lost.pop() : undefined
    let next = this.#last + this.#lost.length + 1
    this.#tellLost(next - 1)
    const { isTorn, isFounderDue, last, end } = this.#proven
    const isDue = isFounderDue || next <= last || (!isTorn && next <= end)
    const isUntold = next === this.#last + 1 && unfinished === undefined
    // Such a file ends like a good one, but its head promises events that it does not hold.
    if (isFounderDue && isUntold && this.#base > 1 && !this.#isMadeAnew) {
      const message = `Lines for event ${next} are missing, and all of the append that trimmed the events before ${this.#base}.`
      this.actions.push({ ...this.#place, message, seq: next })
    }
    if (unfinished !== undefined) {
      const { bytes, line } = unfinished
      if (isDue) this.#tell(`Drop event ${next}: its line is not finished.`, line, next)
      else this.#tell(`Cut off ${bytes} bytes of an unfinished last line.`, line)
      next++
    }
    if (isTorn || next > end) return
    this.actions.push({ ...this.#place, message: `Lines for ${eventsOf(next, end)} are missing.`, seq: next })
  }

  /** Says what became of the events up to `to`, of which there is no readable line. */
  #tellLost(to: number, line = 0): void {
    let seq = this.#last + 1
    for (const { line: at, isUnwritten } of this.#lost) {
      if (seq <= to) {
        this.#proven.lose(seq, isUnwritten)
        this.#tell(`Drop event ${seq}: its line is damaged.`, at, seq++)
      } else this.#tell('Drop a damaged line that is in the place of no event.', at)
    }
    this.#lost = []
    if (seq > to) return
    this.#proven.lose(seq, false)
    this.#tell(`Lines for ${eventsOf(seq, to)} are missing.`, line, seq)
  }

  #tell(message: string, line: number, seq?: number): void {
    this.actions.push({ ...this.#place, message, ...(seq === undefined ? {} : { seq }), line })
  }
}

/** Events before `first`, which were trimmed, count only if nothing else is left. */
function choose(
  stretches: readonly Stretch[],
  first: number,
): { readonly kept: Stretch | undefined; readonly which: string } {
  const live = ({ from, to }: Stretch): number => Math.max(0, to - Math.max(from, first) + 1)
  let kept: Stretch | undefined
  let isShared = false
  let most = 0
  for (const stretch of stretches) {
    const gain = kept === undefined ? 1 : live(stretch) - live(kept) || lengthOf(stretch) - lengthOf(kept)
    // Of equals the last one: then no seq is given to another event.
    if (gain >= 0) kept = stretch
    isShared = gain === 0 || (isShared && gain < 0)
    most = Math.max(most, lengthOf(stretch))
  }
  const longest = isShared ? 'the last of the longest stretches without damage' : 'the longest stretch without damage'
  const isOutdone = kept !== undefined && lengthOf(kept) < most
  return { kept, which: isOutdone ? `${longest} if trimmed events do not count` : longest }
}

function lengthOf({ from, to }: Stretch): number {
  return to - from + 1
}
