import type { Slice } from './slice.ts'

/** A contestant that is ready to do its part of a round. */
export interface Subject {
  readonly id: string
  /** Untimed work before the slice. */
  prepare?(round: number): Promise<void> | void
  slice(round: number): Promise<Slice>
}

/**
 * Lets the subjects take turns, so that whatever else happens on the machine hits all of them. Each round begins with
 * another one, so that nobody always comes after the one that leaves most work behind.
 *
 * @returns the slices of each subject, by round; the first round only warms up and is left out
 */
export async function alternate(subjects: readonly Subject[], rounds: number): Promise<Map<string, Slice[]>> {
  const slices = new Map<string, Slice[]>(subjects.map(({ id }) => [id, []]))
  for (let round = -1; round < rounds; round += 1) {
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

/** Else the garbage of one contestant is collected in the time of another. Needs `--expose-gc`. */
export function collectGarbage(): void {
  ;(globalThis as { gc?: (options?: object) => void }).gc?.({ type: 'minor' })
}
