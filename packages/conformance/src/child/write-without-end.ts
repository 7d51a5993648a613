import type { Backend, EventRecord } from '@turnlog/core/backend'

import { Random, seedOf } from '../context/random.ts'

export interface Acknowledgement {
  readonly session: string
  readonly first: number
  readonly last: number
}

/** Every so many appends one trims. */
const TRIM_EVERY = 3
const KEPT = 12

/** The text of each event, so that whoever finds it after a crash can tell whether it is the right one. */
export function textOf(session: string, seq: number): string {
  return `${session} ${seq} ${'x'.repeat(seq % 97)}`
}

/** Appends to all sessions at once until the process dies, and tells of each append after it has resolved. */
export async function writeWithoutEnd(
  backend: Backend,
  sessions: readonly string[],
  seed: number,
  acknowledge: (acknowledgement: Acknowledgement) => void,
): Promise<void> {
  await Promise.all(
    sessions.map((session) => writeOne(backend, session, new Random(seedOf(seed, session)), acknowledge)),
  )
}

async function writeOne(
  backend: Backend,
  session: string,
  random: Random,
  acknowledge: (acknowledgement: Acknowledgement) => void,
): Promise<void> {
  const head = await backend.head(session)
  const incarnation = head?.incarnation ?? `incarnation of ${session}`
  let first = head?.first ?? 1
  let last = head?.last ?? 0
  for (let turn = 1; ; turn++) {
    const size = random.integer(1, 5)
    const events = Array.from({ length: size }, (_, index): EventRecord => {
      const seq = last + 1 + index
      return {
        seq,
        id: `${session}-${seq}`,
        type: 'MessageAdded',
        v: 1,
        at: seq,
        left: size - 1 - index,
        text: textOf(session, seq),
      }
    })
    const trimBefore = turn % TRIM_EVERY === 0 ? Math.max(1, last - KEPT) : undefined
    const options = trimBefore === undefined ? undefined : { trimBefore }
    first = Math.max(first, trimBefore ?? 1)
    await backend.append(session, { last, incarnation }, events, { first, last: last + size }, options)
    last += size
    acknowledge({ session, first, last })
  }
}
