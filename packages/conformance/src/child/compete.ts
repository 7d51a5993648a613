import { isStoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'

/** Far more than any right backend needs: each round of a race has a winner. */
const MAX_CONFLICTS = 100_000

/**
 * Appends `count` events to a session for which others compete: reads again and retries after each CONFLICT.
 * @returns how many there were
 */
export async function compete(backend: Backend, session: string, writer: string, count: number): Promise<number> {
  let conflicts = 0
  for (let turn = 0; turn < count;) {
    const head = await backend.head(session)
    const last = head?.last ?? 0
    const event = { seq: last + 1, id: `${writer}-${turn}`, type: 'MessageAdded', v: 1, at: 1, writer, turn }
    try {
      await backend.append(session, { last, incarnation: head?.incarnation ?? 'one-incarnation' }, [event], {
        last: last + 1,
      })
      turn++
    } catch (error) {
      if (!isStoreError(error, 'CONFLICT') || ++conflicts > MAX_CONFLICTS) throw error
    }
  }
  return conflicts
}
