import { sessionSeed } from '../format/checksum.ts'
import { encodeHeader } from '../format/header.ts'
import type { Header } from '../format/header.ts'
import type { EventRun } from './events-of.ts'
import type { ReadableLine } from './repair-lines.ts'
import { encodeLine } from './repair-lines.ts'
import type { SalvagedLine } from './salvage-lines.ts'

/** The repaired file: the lines that are kept, unchanged wherever that is right. */
export async function* repairedLines(
  header: Header,
  salvaged: AsyncIterable<SalvagedLine>,
  kept: EventRun,
): AsyncGenerator<Buffer> {
  const { session, incarnation } = header
  const seed = sessionSeed(incarnation)
  yield encodeHeader(kept.from === header.base ? header : { session, incarnation, base: kept.from })
  /** The logical start of the session, and the bytes from its line on. */
  let first = kept.from
  let live = 0
  let next = kept.from
  /** With which seq the append that is being written ended, and its lines so far. */
  let end = 0
  let lines = 0
  for await (const { read } of salvaged) {
    if (read === undefined || read.seq !== next || read.seq > kept.to) continue
    next++
    const { batchEnd } = read
    if (batchEnd !== undefined && batchEnd.first > first) {
      first = batchEnd.first
      live = batchEnd.live
    }
    lines = read.seq + read.more === end ? lines + 1 : 1
    end = read.seq + read.more
    let line: ReadableLine = read
    if (read.seq < kept.to) {
      if (end > kept.to) line = { ...read, more: kept.to - read.seq, bytes: undefined }
    } else if (batchEnd?.first !== first) {
      // What the projection says of events that are gone is no longer true: without one it is computed from the log.
      const projection = batchEnd === undefined || batchEnd.first < first ? null : batchEnd.projection
      line = { ...read, more: 0, batchEnd: { first, last: read.seq, lines, live, projection }, bytes: undefined }
    }
    const bytes = line.bytes ?? encodeLine(line, seed)
    live = first > read.seq ? 0 : live + bytes.length
    yield bytes
  }
}
