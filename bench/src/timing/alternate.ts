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
  /** Rounds before the first that counts. @default 1 */
  readonly warmUp?: number
}

/** With this standard error two runs agree within 15 % nineteen times out of twenty. */
const MAX_ERROR = 0.05

/** A disk that is busy with others makes rounds differ by half; more of them is the only cure. */
const MORE = 4

/** So many rounds, and in a full run up to four times as many if they differ a lot. */
export function roundsOf(counts: Readonly<Record<Scale, number>>, scale: Scale, warmUp = 1): Rounds {
  const least = counts[scale]
  return { least, most: scale === 'full' ? least * MORE : least, warmUp }
}

/** Messages that each contestant reads before the clock starts, as others are added before appends are measured. */
const WARM_UP_READS: Readonly<Record<Scale, number>> = { full: 200_000, quick: 10_000, tiny: 0 }

/** The rounds of warming up where each reads so many messages. */
export function warmUpRounds(messages: number, scale: Scale): number {
  return Math.max(1, Math.ceil(WARM_UP_READS[scale] / messages))
}

/**
 * The order of one round. What a contestant leaves behind (dirty pages, a busy journal, garbage) is paid for by the next
 * one, so each must come after every other equally often. Merely beginning each round with another one keeps all
 * neighbours. This is Williams' design: 0, 1, n-1, 2, n-2 …, moved on by one in each round, and backwards in every other
 * n rounds because an odd number needs both directions.
 */
export function turnsOf(subjects: number, round: number): readonly number[] {
  const turns = Array.from({ length: subjects }, (_, turn) => {
    const place = turn % 2 === 1 ? (turn + 1) / 2 : subjects - turn / 2
    return (place + round) % subjects
  })
  return Math.floor(round / subjects) % 2 === 0 ? turns : turns.reverse()
}

/**
 * Lets the subjects take turns, so that whatever else happens on the machine hits all of them.
 *
 * @returns the slices of each subject, by round, without those that only warm up
 */
export async function alternate(subjects: readonly Subject[], rounds: Rounds): Promise<Map<string, Slice[]>> {
  const { least, most = least, warmUp = 1 } = rounds
  const slices = new Map<string, Slice[]>(subjects.map(({ id }) => [id, []]))
  for (let round = -warmUp; round < most; round++) {
    if (round >= least && isCertain(slices)) break
    for (const index of turnsOf(subjects.length, round + warmUp)) {
      const subject = subjects[index] as Subject
      await subject.prepare?.(round + warmUp)
      collectGarbage()
      const slice = await subject.slice(round + warmUp)
      if (round >= 0) slices.get(subject.id)?.push(slice)
    }
  }
  return slices
}

/** Whether the ratio of any two of them is known well enough. */
function isCertain(slices: ReadonlyMap<string, readonly Slice[]>): boolean {
  const rates = Array.from(slices.values(), (rounds) => rounds.map(rateOf))
  return rates.every((ours, index) =>
    rates.slice(index + 1).every((theirs) => medianError(ratiosByRound(ours, theirs)) <= MAX_ERROR),
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
