import { clipRanges } from '@turnlog/core/backend'
import type { EventRecord, Range, ReadOptions } from '@turnlog/core/backend'

import { StretchReader } from './stretch-reader.ts'
import type { EventSource } from './stretch-reader.ts'
import { isAskedAtOnce, limitRanges, STRETCHES_AT_ONCE, stretchesOf } from './stretches.ts'

/**
 * The events of the ranges, from one snapshot taken now, in the order asked for. Every seq between the first and the
 * last of a session exists, so what is missing is damage and not an end.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`, `TRIMMED`
 */
export async function* readEvents(
  source: EventSource,
  ranges: readonly Range[],
  options: ReadOptions,
): AsyncGenerator<readonly EventRecord[]> {
  const reverse = options.reverse === true
  const { database, head } = source
  const wanted = stretchesOf(limitRanges(clipRanges(head, ranges), reverse, options.limit), head, reverse)
  const snapshot = isAskedAtOnce(wanted, head) ? undefined : database.snapshot()
  const readers: StretchReader[] = []
  try {
    for (const [index, stretch] of wanted.entries()) {
      for (let ahead = readers.length; ahead < Math.min(wanted.length, index + STRETCHES_AT_ONCE); ahead += 1) {
        readers.push(new StretchReader(source, wanted[ahead] ?? stretch, reverse, snapshot))
      }
      const reader = readers[index]
      for (;;) {
        options.signal?.throwIfAborted()
        const batch = await reader?.next()
        if (batch === undefined) break
        yield batch
      }
    }
  } finally {
    for (const reader of readers) await reader.close()
    await database.endSnapshot(snapshot)
  }
}
