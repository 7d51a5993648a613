/** More rounds than a slow disk needs until enough of two things that run at once has overlapped. */
const MAX_ROUNDS = 40

export interface Overlap {
  readonly least: number
  readonly wanted: number
  /** @default 40 */
  readonly most?: number
}

/**
 * Repeats a race, at least `least` times, until `wanted` moments were seen in which it could have gone wrong: how many
 * one round has depends on the disk and on the machine. `round` says how many it had.
 * @returns how many there were in all
 */
export async function untilEnoughOverlap(
  { least, wanted, most = MAX_ROUNDS }: Overlap,
  round: (index: number) => Promise<number>,
): Promise<number> {
  let seen = 0
  for (let index = 0; index < least || (seen < wanted && index < most); index++) seen += await round(index)
  return seen
}
