export interface ParallelOptions {
  readonly count: number
  readonly width: number
  /** Asked before each piece of work. */
  readonly hasTime: () => boolean
}

/** Runs numbered work, so many at a time, in the order of the numbers. The first failure ends it. */
export async function parallel(
  { count, width, hasTime }: ParallelOptions,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < count && hasTime()) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, run))
}
