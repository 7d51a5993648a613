import { randomUUID } from 'node:crypto'

import { isStoreError } from '@turnlog/core/backend'
import type { Problem } from '@turnlog/core/backend'

import type { Database, WriteBatch } from '../database/database.ts'
import { readRow } from '../format/event-row.ts'
import type { HeadRow } from '../format/head-row.ts'
import { decodeHead, encodeHead } from '../format/head-row.ts'
import { encodePayload } from '../format/payload-codec.ts'
import { EVENT_ROWS, HEAD_ROWS, parseKey, SessionKeys } from '../format/row-keys.ts'
import { HEADER_BYTES, isSingle } from '../format/row-value.ts'
import { FoundRows } from './found-rows.ts'
import type { FoundRow, IntactRun } from './found-rows.ts'
import { RowStream } from './row-stream.ts'

const UNKNOWN_KEY = 'A row is dropped: it has a key that no row of this format has.'

interface Report {
  readonly onAction: (action: Problem) => void
  readonly signal: AbortSignal | undefined
}

/**
 * Makes heads and events agree, session by session, and gives the number of sessions.
 *
 * Where events are missing, those before the gap are kept: they are what the session was once. If nothing is left before
 * it, those after it are. A head that is lost or older than the events cannot say where they began, and what comes first
 * may be left from before a trim: then the longest run is kept.
 *
 * @throws `UNSUPPORTED` if a row is of a newer format
 */
export async function rebuildSessions(database: Database, report: Report): Promise<number> {
  const heads = await readHeads(database, report)
  const events = new RowStream(database, EVENT_ROWS, undefined)
  let sessions = 0
  const finish = async (session: string, rows: FoundRows, damaged: readonly Buffer[]): Promise<void> => {
    report.signal?.throwIfAborted()
    const head = heads.get(session)
    heads.delete(session)
    const batch = database.batch()
    for (const key of damaged) batch.del(key)
    if (settle(batch, session, head, rows, report)) sessions++
    await batch.write()
  }
  try {
    let current: string | undefined
    let rows = new FoundRows()
    let damaged: Buffer[] = []
    for (;;) {
      const row = await events.peek()
      const key = row === undefined ? undefined : parseKey(row[0])
      if (current !== undefined && (row === undefined || (key !== undefined && key.name !== current))) {
        await finish(current, rows, damaged)
        rows = new FoundRows()
        damaged = []
      }
      if (row === undefined) break
      events.skip()
      if (key === undefined) {
        report.onAction({ message: UNKNOWN_KEY })
        await database.batch().del(row[0]).write()
        continue
      }
      current = key.name
      const found = foundRow(key.name, key.seq, row[1], report)
      if (found === undefined) damaged.push(row[0])
      else rows.add(found)
    }
    for (const session of heads.keys()) await finish(session, new FoundRows(), [])
  } finally {
    await events.close()
  }
  return sessions
}

async function readHeads(database: Database, { onAction }: Report): Promise<Map<string, HeadRow>> {
  const heads = new Map<string, HeadRow>()
  const stream = new RowStream(database, HEAD_ROWS, undefined)
  const damaged = database.batch()
  try {
    for (let row = await stream.peek(); row !== undefined; row = await stream.peek()) {
      stream.skip()
      const session = parseKey(row[0])?.name
      try {
        if (session === undefined) onAction({ message: UNKNOWN_KEY })
        else heads.set(session, decodeHead(row[0], row[1], session))
      } catch (error) {
        if (!isStoreError(error, 'CORRUPT')) throw error
        onAction({ message: error.message, ...(session === undefined ? {} : { session }) })
      }
      if (session === undefined || !heads.has(session)) damaged.del(row[0])
    }
  } finally {
    await stream.close()
  }
  await damaged.write()
  return heads
}

function foundRow(session: string, seq: number, value: Buffer, { onAction }: Report): FoundRow | undefined {
  try {
    const events = readRow(session, new SessionKeys(session), value, seq)
    const to = events.at(-1)?.seq
    if (to === seq) return { from: events[0]?.seq ?? seq, to, bytes: value.length, isSegment: !isSingle(value) }
    onAction({ message: `The row of event ${seq} is dropped: it holds other events.`, session, seq })
  } catch (error) {
    if (!isStoreError(error, 'CORRUPT')) throw error
    onAction({ message: error.message, session, seq })
  }
  return undefined
}

/** Writes the head that fits the events, and says what is lost. False if nothing is left of the session. */
function settle(
  batch: WriteBatch,
  session: string,
  head: HeadRow | undefined,
  found: FoundRows,
  { onAction }: Report,
): boolean {
  const keys = new SessionKeys(session)
  const name = JSON.stringify(session)
  const { rows, covered } = found
  if (covered.length > 0) {
    const message = `Rows of session ${name} whose events are in a segment as well are dropped: ${covered.length}.`
    onAction({ message, session })
  }
  const newest = rows.at(-1)?.to ?? 0
  // A row behind what the head says was written by a later batch: so was a later head, and it is lost.
  const isOutdated = head !== undefined && (newest > head.last || hasLaterSegment(rows, head))
  const runs = found.runs.filter(({ to }) => to >= (head?.first ?? 0))
  const kept = head === undefined || isOutdated ? longest(runs) : runs[0]
  // What was trimmed and not yet deleted may lie in the same run. The new head says that nothing is left of it.
  const isKept = new Set(kept?.rows.filter(({ to }) => to >= (head?.first ?? 0)))
  for (const row of [...covered, ...rows]) if (!isKept.has(row)) batch.del(keys.event(row.to))
  if (kept === undefined) {
    if (head !== undefined && head.first > head.last) {
      batch.put(keys.head, encodeHead(keys.headSum, { ...head, trimmed: head.first }))
      return true
    }
    const which = head === undefined ? 'events' : `events ${head.first} to ${head.last}`
    onAction({ message: `Session ${name} is dropped: none of its ${which} is left.`, session })
    batch.del(keys.head)
    return false
  }
  const from = Math.max(head?.first ?? 1, kept.from)
  const { to } = kept
  if (head !== undefined && !isOutdated && from === head.first && to === head.last) {
    batch.put(keys.head, encodeHead(keys.headSum, { ...head, trimmed: head.first }))
    return true
  }
  const first = head?.first ?? rows[0]?.from ?? from
  const last = Math.max(newest, head?.last ?? 0)
  const isCut = from > first || to < last
  const which = isCut
    ? `is cut to its events ${from} to ${to} of ${first} to ${last}`
    : `keeps its events ${from} to ${to}`
  const why = head === undefined ? '; its head is lost' : isOutdated ? '; its newest head is lost' : ''
  onAction({ message: `Session ${name} ${which}${why}.`, session, seq: isCut && from === first ? to + 1 : from })
  const bytes = [...isKept].reduce((sum, row) => sum + row.bytes, 0)
  batch.put(keys.head, encodeHead(keys.headSum, rebuiltHead(head, from, to, bytes)))
  return true
}

function rebuiltHead(head: HeadRow | undefined, from: number, to: number, bytes: number): HeadRow {
  // Null: the projection was made for other events, so core folds the log again.
  const projection = encodePayload(null).value.toString('latin1', HEADER_BYTES)
  const incarnation = head?.incarnation ?? randomUUID()
  // All rows are final, because nobody can say any more which of them were waiting to be sealed.
  return { first: from, last: to, sealed: to, trimmed: from, bytes, incarnation, projection, json: false }
}

/** Behind `sealed` are only single rows, so a segment there was written by a later batch. */
function hasLaterSegment(rows: readonly FoundRow[], { sealed }: HeadRow): boolean {
  return rows.some(({ isSegment, to }) => isSegment && to > sealed)
}

function longest(runs: readonly IntactRun[]): IntactRun | undefined {
  return runs.reduce<IntactRun | undefined>(
    (best, each) => (best === undefined || each.to - each.from > best.to - best.from ? each : best),
    undefined,
  )
}
