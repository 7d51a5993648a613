import { clipRanges, StoreError } from '@turnlog/core/backend'
import type { EventRecord, Range, ReadOptions } from '@turnlog/core/backend'

import { Moment } from './moment.ts'
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
  load: () => Promise<EventSource | undefined>,
  ranges: readonly Range[],
  options: ReadOptions,
): AsyncGenerator<readonly EventRecord[]> {
  const source = await load()
  if (source === undefined) return
  const reverse = options.reverse === true
  const { database, head } = source
  const wanted = stretchesOf(limitRanges(clipRanges(head, ranges), reverse, options.limit), head, reverse)
  const moment = new Moment(database, !isAskedAtOnce(wanted, head))
  const readers: StretchReader[] = []
  try {
    for (const [index, stretch] of wanted.entries()) {
      for (let ahead = readers.length; ahead < Math.min(wanted.length, index + STRETCHES_AT_ONCE); ahead += 1) {
        readers.push(new StretchReader(source, wanted[ahead] ?? stretch, reverse, moment))
      }
      const reader = readers[index]
      for (;;) {
        options.signal?.throwIfAborted()
        const batch = await reader?.next()
        if (batch === undefined) break
        if (reader?.isLate === true) await refuseAnotherLife(source)
        yield batch
      }
    }
  } finally {
    for (const reader of readers) await reader.close()
    await moment.end()
  }
}

/** To be asked after a batch was read: if the session still lives the same life, so it did when that was read. */
async function refuseAnotherLife(source: EventSource): Promise<void> {
  const { session, head } = source
  if ((await source.present())?.incarnation === head.incarnation) return
  throw new StoreError(
    'TRIMMED',
    `Session ${JSON.stringify(session)} was erased while it was being read. Read again.`,
    { session },
  )
}
