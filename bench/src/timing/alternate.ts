import type { Scale } from '../scenarios/scenario.ts'
import type { Slice } from './slice.ts'
import { rateOf } from './slice.ts'
import { medianError, ratiosByRound } from './statistics.ts'

/** A contestant that is ready to do its part of a round. */
export interface Subject {
  readonly id: string
  /** Untimed work before the slice. */
  prepare?(round: number): Promise<void> | void
  slice(round: number): Promise<Slice>
}

export interface Rounds {
  readonly least: number
  /** Until then it goes on while a ratio is uncertain. @default `least` */
  readonly most?: number
}

/** With this standard error two runs agree within 15 % nineteen times out of twenty. */
const ERROR_MOST = 0.05

/** A disk that is busy with others makes rounds differ by half; more of them is the only cure. */
const MORE = 4

/** So many rounds, and in a full run up to four times as many if they differ a lot. */
export function roundsOf(counts: Readonly<Record<Scale, number>>, scale: Scale): Rounds {
  const least = counts[scale]
  return { least, most: scale === 'full' ? least * MORE : least }
}

/**
 * Lets the subjects take turns, so that whatever else happens on the machine hits all of them. Each round begins with
 * another one, so that nobody always comes after the one that leaves most work behind.
 *
 * @returns the slices of each subject, by round; the first round only warms up and is left out
 */
export async function alternate(subjects: readonly Subject[], rounds: Rounds): Promise<Map<string, Slice[]>> {
  const { least, most = least } = rounds
  const slices = new Map<string, Slice[]>(subjects.map(({ id }) => [id, []]))
  for (let round = -1; round < most; round += 1) {
    if (round >= least && isCertain(slices)) break
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(turn + round + 1) % subjects.length] as Subject
      await subject.prepare?.(round + 1)
      collectGarbage()
      const slice = await subject.slice(round + 1)
      if (round >= 0) slices.get(subject.id)?.push(slice)
    }
  }
  return slices
}

/** Whether the ratio of any two of them is known well enough. */
function isCertain(slices: ReadonlyMap<string, readonly Slice[]>): boolean {
  const rates = Array.from(slices.values(), (rounds) => rounds.map(rateOf))
  return rates.every((ours, index) =>
    rates.slice(index + 1).every((theirs) => medianError(ratiosByRound(ours, theirs)) <= ERROR_MOST),
  )
}

/**
 * Else the garbage of one contestant is collected in the time of another. Twice, because what survives once is moved
 * once more before it is left alone. Needs `--expose-gc`.
 */
export function collectGarbage(): void {
  const { gc } = globalThis as { gc?: (options?: object) => void }
  gc?.({ type: 'minor' })
  gc?.({ type: 'minor' })
}
