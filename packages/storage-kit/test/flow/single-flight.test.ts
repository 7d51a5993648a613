import { SingleFlight } from '@turnlog/storage-kit'
import { expect, test } from 'vitest'

/** Runs that end when the test says so, by their number. */
function numbered(): { readonly work: () => Promise<number>; readonly end: ((error?: Error) => void)[] } {
  const end: ((error?: Error) => void)[] = []
  const work = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const number = end.length
      end.push((error) => (error === undefined ? resolve(number) : reject(error)))
    })
  return { work, end }
}

test('whoever joins shares the run that is under way, and afterwards a new one begins', async () => {
  const { work, end } = numbered()
  const flight = new SingleFlight<number>()
  const both = [flight.join(work), flight.join(work)]
  expect(end).toHaveLength(1)
  end[0]?.()
  expect(await Promise.all(both)).toEqual([0, 0])
  expect(flight.running).toBeUndefined()
  const again = flight.join(work)
  end[1]?.()
  expect(await again).toBe(1)
})

test('whoever needs a run after the call shares the next, which begins when the one under way has ended, also badly', async () => {
  const { work, end } = numbered()
  const flight = new SingleFlight<number>()
  const first = flight.after(work)
  const others = [flight.after(work), flight.after(work)]
  expect(end).toHaveLength(1)
  end[0]?.(new Error('broken'))
  await expect(first).rejects.toThrow('broken')
  await Promise.resolve()
  const late = flight.after(work) // between two runs it is never a third beside them
  await Promise.resolve()
  expect(end.length).toBeLessThanOrEqual(2)
  while (end.length < 2) await Promise.resolve()
  end[1]?.()
  expect(await Promise.all(others)).toEqual([1, 1])
  while (flight.running !== undefined && end.length < 3) await Promise.resolve()
  end[2]?.()
  expect(await late).toBeGreaterThanOrEqual(1)
})
