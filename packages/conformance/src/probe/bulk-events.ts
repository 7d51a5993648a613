import type { EventRecord } from '@turnlog/core/backend'

/** Many small events that say what they are, so that a whole append can be told from a part of one. */
export function bulkEvents(session: string, from: number, count: number): EventRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const seq = from + index
    return { seq, id: `${session}-${seq}`, type: 'MessageAdded', v: 1, at: seq, left: count - 1 - index }
  })
}
