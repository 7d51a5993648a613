import { setImmediate } from 'node:timers/promises'

/** Maps many items, so many before others have their turn: thousands must not hold up the process. */
export async function mapInTurns<T, R>(items: readonly T[], atOnce: number, work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    if (results.length > 0 && results.length % atOnce === 0) await setImmediate()
    results.push(work(item))
  }
  return results
}
