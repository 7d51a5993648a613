import { expect, test } from 'vitest'

import { event, grow, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

test('of appends that compete for a session whose tail is large and not in memory one wins, the others get CONFLICT', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  const extra = { pad: 'x'.repeat(12_000) } // the tail is read in several steps
  for (let round = 0; round < 20; round++) {
    const session = `s${round}`
    await grow(backend, session, 10, { extra })
    const last = await grow(backend, session, 10, { extra })
    const added = Array.from({ length: 60 }, (_, index) => event(last + 1 + index, extra))
    const append = async (turns: number): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      await backend.append(session, { last, incarnation: `life of ${session}` }, added, null)
    }
    const outcomes = await Promise.allSettled([0, 0, 1, 2, 3, 4].map(append))
    const codes = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'won' : (outcome.reason as { code: string }).code,
    )
    expect(codes.toSorted()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT', 'won'])
    expect(await readAll(backend, session)).toHaveLength(80)
  }
})
