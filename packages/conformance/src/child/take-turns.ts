import { isStoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'

/** Far more than any right backend needs before somebody else lets go. */
const MAX_REFUSALS = 100_000

/** Opens, appends one event and closes, `count` times, beside others that do the same. */
export async function takeTurns(backend: Backend, session: string, writer: string, count: number): Promise<void> {
  let refusals = 0
  for (let turn = 0; turn < count;) {
    try {
      await backend.open()
    } catch (error) {
      if (!isStoreError(error, 'LOCKED') || ++refusals > MAX_REFUSALS) throw error
      await new Promise(setImmediate)
      continue
    }
    const head = await backend.head(session)
    const last = head?.last ?? 0
    const event = { seq: last + 1, id: `${writer}-${turn}`, type: 'MessageAdded', v: 1, at: 1, writer, turn }
    await backend.append(session, { last, incarnation: head?.incarnation ?? 'one-incarnation' }, [event], null)
    await backend.close()
    turn++
  }
}
