import { clipRanges, StoreError } from '@turnlog/core/backend'
import type { EventRecord, Range, ReadOptions } from '@turnlog/core/backend'

import { ReadEpoch } from './read-epoch.ts'
import { GroupReader } from './group-reader.ts'
import type { EventSource } from './group-reader.ts'
import { GROUPS_AT_ONCE, groupRanges, isAskedAtOnce, limitRanges } from './range-groups.ts'

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
  const groups = groupRanges(limitRanges(clipRanges(head, ranges), reverse, options.limit), head, reverse)
  const epoch = new ReadEpoch(database, !isAskedAtOnce(groups, head))
  const readers: GroupReader[] = []
  try {
    for (const index of groups.keys()) {
      for (const group of groups.slice(readers.length, index + GROUPS_AT_ONCE)) {
        readers.push(new GroupReader(source, group, reverse, epoch))
      }
      const reader = readers[index]
      for (;;) {
        options.signal?.throwIfAborted()
        const batch = await reader?.next()
        if (batch === undefined) break
        if (reader?.isLate === true) await refuseNextIncarnation(source)
        yield batch
      }
    }
  } finally {
    for (const reader of readers) await reader.close()
    await epoch.end()
  }
}

/** Call this after a batch was read: if the incarnation has not changed, the batch belongs to it. @throws `TRIMMED` */
async function refuseNextIncarnation(source: EventSource): Promise<void> {
  const { session, head } = source
  if ((await source.present())?.incarnation === head.incarnation) return
  throw new StoreError(
    'TRIMMED',
    `Session ${JSON.stringify(session)} was erased while it was being read. Read again.`,
    { session },
  )
}
