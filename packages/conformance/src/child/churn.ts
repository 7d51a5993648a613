import type { Backend, EventRecord } from '@turnlog/core/backend'

import { Random } from '../context/random.ts'

/** Every so many appends the session is erased and begins anew. */
const LENGTH_OF_INCARNATION = 8
const KEPT = 9

/**
 * Appends to one session, trims and erases it, `turns` times. Each event and each projection says what belongs to it:
 * the incarnation, where the session began after this append, and how many events of the append are still to come.
 */
export async function churn(backend: Backend, session: string, turns: number, seed: number): Promise<void> {
  const random = new Random(seed)
  let found = await backend.head(session)
  for (let turn = 0; turn < turns; turn++) {
    if (found !== undefined && turn % LENGTH_OF_INCARNATION === LENGTH_OF_INCARNATION - 1) {
      await backend.erase(session, found.last)
      found = undefined
    }
    const incarnation: string = found?.incarnation ?? random.word(12)
    const from = (found?.last ?? 0) + 1
    const last = from + random.integer(0, 6)
    const trimBefore = Math.max(1, last - KEPT)
    const first = Math.max(found?.first ?? 1, trimBefore)
    const events = Array.from({ length: last - from + 1 }, (_, index): EventRecord => {
      const seq = from + index
      const fields = { incarnation, first, left: last - seq, text: 'x'.repeat(random.integer(0, 400)) }
      return { seq, id: `${incarnation}-${seq}`, type: 'MessageAdded', v: 1, at: seq, ...fields }
    })
    await backend.append(session, { last: from - 1, incarnation }, events, { incarnation, first, last }, { trimBefore })
    found = { first, last, incarnation, bytes: 1, projection: null }
  }
}
