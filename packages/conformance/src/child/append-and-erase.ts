import { isStoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'

/** Far more than any right backend needs: each round of a race has a winner. */
const MAX_CONFLICTS = 100_000

/** What a writer was told that it had done. */
export interface Deeds {
  readonly appends: readonly { readonly incarnation: string; readonly seq: number }[]
  /** The last seq of each session that it erased. */
  readonly erases: readonly number[]
  readonly conflicts: number
}

/** Appends and erases in turn, `count` times, in a session for which others do the same. */
export async function appendAndErase(backend: Backend, session: string, writer: string, count: number): Promise<Deeds> {
  const appends: { incarnation: string; seq: number }[] = []
  const erases: number[] = []
  let conflicts = 0
  for (let turn = 0; turn < count;) {
    const head = await backend.head(session)
    try {
      if (head !== undefined && turn % 3 === 2) {
        await backend.erase(session, head.last)
        erases.push(head.last)
      } else {
        const seq = (head?.last ?? 0) + 1
        const incarnation = head?.incarnation ?? `${writer}-${turn}-${conflicts}`
        const event = { seq, id: `${writer}-${turn}`, type: 'MessageAdded', v: 1, at: 1 }
        await backend.append(session, { last: seq - 1, incarnation }, [event], null)
        appends.push({ incarnation, seq })
      }
      turn++
    } catch (error) {
      if (!isStoreError(error, 'CONFLICT') || ++conflicts > MAX_CONFLICTS) throw error
    }
  }
  return { appends, erases, conflicts }
}
