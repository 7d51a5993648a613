import type { Backend } from '@turnlog/core/backend'

import { bulkEvents } from '../probe/bulk-events.ts'

/** One append of `count` events, the first of a session or a later one. */
export async function appendBulk(
  backend: Pick<Backend, 'append'>,
  session: string,
  from: number,
  count: number,
): Promise<void> {
  const expected = { last: from - 1, incarnation: `incarnation of ${session}` }
  await backend.append(session, expected, bulkEvents(session, from, count), { last: from + count - 1 })
}
