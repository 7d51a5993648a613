import type { Backend } from '@turnlog/core/backend'

import { Unproven } from '../context/unproven.ts'
import { ALL } from './collect.ts'
import type { ExpectedSession } from './expected-session.ts'

/** More than most backends give in one batch. Those that give more get a longer session, up to the bound. */
const USUAL_LENGTH = 4000
const MAX_LENGTH = 64_000

/**
 * Grows a session until a read, in either direction, cannot give all of it in its first batch. Otherwise nothing could
 * happen between two batches, and whatever is asserted about that would be asserted about nothing.
 */
export async function growLong(
  session: ExpectedSession,
  writer: Pick<Backend, 'append'>,
  reader: Backend,
): Promise<void> {
  for (let wanted = USUAL_LENGTH; ; wanted *= 4) {
    // Appends of one size, so that a session which must be as long as another one is made in the same steps.
    while (session.last < wanted) await session.grow(writer, USUAL_LENGTH)
    const sizes = [await firstBatch(reader, session.key, false), await firstBatch(reader, session.key, true)]
    if (sizes.every((size) => size < session.last)) return
    if (wanted >= MAX_LENGTH)
      throw new Unproven(`a read gives ${session.last} events in one batch: nothing can come between`)
  }
}

async function firstBatch(backend: Backend, session: string, reverse: boolean): Promise<number> {
  for await (const { length } of backend.read(session, ALL, { reverse })) return length
  return 0
}
