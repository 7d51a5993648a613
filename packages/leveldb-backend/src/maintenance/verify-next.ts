import { readRow } from '../format/event-row.ts'
import { decodeHead, toHead } from '../format/head-row.ts'
import type { HeadRow } from '../format/head-row.ts'
import { parseKey, SessionKeys } from '../format/row-keys.ts'
import type { Findings } from './findings.ts'
import type { RowStream } from './row-stream.ts'
import type { StoreWalk } from './store-walk.ts'

/**
 * One session: the next head, or events that have none, whichever comes first.
 *
 * @returns its name, `''` if it has none; `undefined` at the end
 */
export async function verifyNext({ heads, events }: StoreWalk, report: Findings): Promise<string | undefined> {
  const head = await heads.peek()
  const event = await events.peek()
  if (head === undefined && event === undefined) return undefined
  const headKey = head === undefined ? undefined : parseKey(head[0])
  const eventKey = event === undefined ? undefined : parseKey(event[0])
  if ((head !== undefined && headKey === undefined) || (event !== undefined && eventKey === undefined)) {
    report.add({ message: 'A row has a key that no row of this format has.' })
    if (headKey === undefined && head !== undefined) heads.skip()
    else events.skip()
    return ''
  }
  const isOrphan =
    eventKey !== undefined && (headKey === undefined || Buffer.compare(bytesOf(eventKey), bytesOf(headKey)) < 0)
  const session = (isOrphan ? eventKey : headKey)?.name ?? ''
  report.sessions++
  let row: HeadRow | undefined
  if (isOrphan) report.add({ message: `Session ${JSON.stringify(session)} has events but no head.`, session })
  else if (head !== undefined) {
    report.heads++
    report.bytes += head[0].length + head[1].length
    row = await report.attempt(() => {
      const decoded = decodeHead(head[0], head[1], session)
      toHead(decoded, session)
      return decoded
    })
    heads.skip()
  }
  await verifyEvents(events, session, row, report)
  return session
}

async function verifyEvents(
  events: RowStream,
  session: string,
  head: HeadRow | undefined,
  report: Findings,
): Promise<void> {
  const keys = new SessionKeys(session)
  let expected = head?.first
  for (;;) {
    const row = await events.peek()
    const key = row === undefined ? undefined : parseKey(row[0])
    if (row === undefined || key?.kind !== 'event' || key.name !== session) break
    events.skip()
    report.bytes += row[0].length + row[1].length
    const found = await report.attempt(() => readRow(session, keys, row[1], key.seq))
    const last = found === undefined ? key.seq : (found.at(-1)?.seq ?? key.seq)
    const first = found?.[0]?.seq ?? key.seq
    if (found !== undefined && last !== key.seq) {
      report.add({ message: `The row of event ${key.seq} holds other events.`, session, seq: key.seq })
    }
    if (head === undefined || last < head.first) continue // trimmed, and not yet deleted
    if (expected !== undefined && first > expected) {
      const message = `Events ${expected} to ${first - 1} of session ${JSON.stringify(session)} are missing.`
      report.add({ message, session, seq: expected })
    }
    report.events += found === undefined ? 0 : last - Math.max(first, head.first) + 1
    expected = Math.max(expected ?? 0, last + 1)
  }
  if (head !== undefined && expected !== undefined && expected !== head.last + 1) {
    const message =
      expected <= head.last
        ? `Events ${expected} to ${head.last} of session ${JSON.stringify(session)} are missing.`
        : `Session ${JSON.stringify(session)} has events up to ${expected - 1}, but its head says ${head.last}.`
    report.add({ message, session, seq: Math.min(expected, head.last) })
  }
}

function bytesOf({ name }: { readonly name: string }): Buffer {
  return Buffer.from(name)
}
