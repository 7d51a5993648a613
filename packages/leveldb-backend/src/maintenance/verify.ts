import { isStoreError } from '@turnlog/core/backend'
import type { BackendVerifyReport, MaintenanceOptions, Problem } from '@turnlog/core/backend'

import type { Database, Row } from '../database.ts'
import { readRow } from '../event-row.ts'
import { decodeHead, toHead } from '../head-row.ts'
import type { HeadRow } from '../head-row.ts'
import { afterPrefix, EVENT_ROWS, HEAD_ROWS, parseKey, SessionKeys } from '../row-keys.ts'
import { readStoreRows } from '../store-rows.ts'
import { RowStream } from './row-stream.ts'

/** Enough to see what kind of damage it is. */
const PROBLEMS_MOST = 1000

/** Reads every row from one snapshot: heads and events side by side, both in the order of the sessions. */
export async function verifyStore(database: Database, options: MaintenanceOptions = {}): Promise<BackendVerifyReport> {
  const { session, signal, onProgress } = options
  const keys = session === undefined ? undefined : new SessionKeys(session)
  const snapshot = database.snapshot()
  const heads = new RowStream(database, keys === undefined ? HEAD_ROWS : { gte: keys.head, lte: keys.head }, snapshot)
  const eventRange =
    keys === undefined ? EVENT_ROWS : { gte: keys.eventCopy(0), lt: afterPrefix(keys.eventCopy(0).subarray(0, -8)) }
  const events = new RowStream(database, eventRange, snapshot)
  const report = new Findings()
  try {
    if (session === undefined) await report.attempt(() => database.checkTables())
    const rows = await report.attempt(() => readStoreRows(database, snapshot))
    for (;;) {
      signal?.throwIfAborted()
      const head = await heads.peek()
      const event = await events.peek()
      if (head === undefined && event === undefined) break
      await verifyNext(heads, events, head, event, report)
      onProgress?.(report.sessions, Math.max(report.sessions, rows?.sessions ?? 0))
    }
    if (session === undefined && rows !== undefined && rows.sessions !== report.heads) {
      report.add({ message: `There are ${report.heads} heads, but the store says ${rows.sessions} sessions.` })
    }
  } catch (error) {
    if (!isStoreError(error, 'CORRUPT')) throw error
    report.addError(error)
  } finally {
    await heads.close()
    await events.close()
    await database.endSnapshot(snapshot)
  }
  const { sessions, events: count, bytes, problems } = report
  return { sessions, events: count, bytes, problems }
}

class Findings {
  readonly problems: Problem[] = []
  sessions = 0
  heads = 0
  events = 0
  bytes = 0

  add(problem: Problem): void {
    if (this.problems.length < PROBLEMS_MOST) this.problems.push(problem)
  }

  addError(error: unknown): void {
    if (!isStoreError(error, 'CORRUPT') && !isStoreError(error, 'UNSUPPORTED')) throw error
    const { message, session, seq, file } = error
    this.add({
      message,
      ...(session === undefined ? {} : { session }),
      ...(seq === undefined ? {} : { seq }),
      ...(file === undefined ? {} : { file }),
    })
  }

  async attempt<T>(work: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.addError(error)
      return undefined
    }
  }
}

/** One session: the next head, or events that have none, whichever comes first. */
async function verifyNext(
  heads: RowStream,
  events: RowStream,
  head: Row | undefined,
  event: Row | undefined,
  report: Findings,
): Promise<void> {
  const headKey = head === undefined ? undefined : parseKey(head[0])
  const eventKey = event === undefined ? undefined : parseKey(event[0])
  if ((head !== undefined && headKey === undefined) || (event !== undefined && eventKey === undefined)) {
    report.add({ message: 'A row has a key that no row of this format has.' })
    if (headKey === undefined && head !== undefined) heads.skip()
    else events.skip()
    return
  }
  const isOrphan =
    eventKey !== undefined && (headKey === undefined || Buffer.compare(bytesOf(eventKey), bytesOf(headKey)) < 0)
  const session = (isOrphan ? eventKey : headKey)?.name ?? ''
  report.sessions += 1
  let row: HeadRow | undefined
  if (isOrphan) report.add({ message: `Session ${JSON.stringify(session)} has events but no head.`, session })
  else if (head !== undefined) {
    report.heads += 1
    report.bytes += head[0].length + head[1].length
    row = await report.attempt(() => {
      const decoded = decodeHead(head[0], head[1], session)
      toHead(decoded, session)
      return decoded
    })
    heads.skip()
  }
  await verifyEvents(events, session, row, report)
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
