import { sameJson } from '@turnlog/core/backend'
import type { EventRecord } from '@turnlog/core/backend'

/** The seq of the first event of `left` that `right` does not have just so, `undefined` if there is none. */
export async function firstDifference(
  left: AsyncIterable<EventRecord>,
  right: AsyncIterable<EventRecord>,
  to: number,
): Promise<number | undefined> {
  const others = right[Symbol.asyncIterator]()
  try {
    for await (const event of left) {
      if (event.seq > to) return undefined
      const other = await others.next()
      if (other.done === true || !sameJson(event, other.value)) return event.seq
    }
    return undefined
  } finally {
    await others.return?.()
  }
}
