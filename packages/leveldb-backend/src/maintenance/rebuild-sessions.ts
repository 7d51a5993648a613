import { randomUUID } from 'node:crypto'

import { isStoreError } from '@turnlog/core/backend'
import type { Problem } from '@turnlog/core/backend'

import type { Database, WriteBatch } from '../database.ts'
import { readRow } from '../event-row.ts'
import type { HeadRow } from '../head-row.ts'
import { decodeHead, encodeHead } from '../head-row.ts'
import { encodePayload } from '../payload-codec.ts'
import { EVENT_ROWS, HEAD_ROWS, parseKey, SessionKeys } from '../row-keys.ts'
import { HEADER_BYTES } from '../row-value.ts'
import { RowStream } from './row-stream.ts'

interface Span {
  readonly from: number
  readonly to: number
  readonly bytes: number
}

/**
 * Makes heads and events agree, session by session, and gives the number of sessions. Where events are missing, those
 * before the gap are kept: they are what the session was once. If nothing is left before it, those after it are.
 */
export async function rebuildSessions(database: Database, onAction: (action: Problem) => void): Promise<number> {
  const heads = await readHeads(database, onAction)
  const events = new RowStream(database, EVENT_ROWS, undefined)
  let sessions = 0
  const finish = async (session: string, spans: readonly Span[], damaged: readonly Buffer[]): Promise<void> => {
    const head = heads.get(session)
    heads.delete(session)
    const batch = database.batch()
    for (const key of damaged) batch.del(key)
    if (await settle(batch, session, head, spans, onAction)) sessions += 1
  }
  try {
    let current: string | undefined
    let spans: Span[] = []
    let damaged: Buffer[] = []
    for (;;) {
      const row = await events.peek()
      const key = row === undefined ? undefined : parseKey(row[0])
      if (current !== undefined && key?.name !== current) {
        await finish(current, spans, damaged)
        spans = []
        damaged = []
      }
      if (row === undefined) break
      events.skip()
      if (key === undefined) continue
      current = key.name
      const span = spanOf(key.name, key.seq, row[1], onAction)
      if (span === undefined) damaged.push(row[0])
      else addSpan(spans, span)
    }
    for (const session of heads.keys()) await finish(session, [], [])
  } finally {
    await events.close()
  }
  return sessions
}

async function readHeads(database: Database, onAction: (action: Problem) => void): Promise<Map<string, HeadRow>> {
  const heads = new Map<string, HeadRow>()
  const stream = new RowStream(database, HEAD_ROWS, undefined)
  for (let row = await stream.peek(); row !== undefined; row = await stream.peek()) {
    stream.skip()
    const session = parseKey(row[0])?.name
    try {
      if (session !== undefined) heads.set(session, decodeHead(row[0], row[1], session))
    } catch (error) {
      if (!isStoreError(error)) throw error
      onAction({ message: error.message, ...(session === undefined ? {} : { session }) })
    }
  }
  await stream.close()
  return heads
}

function spanOf(session: string, seq: number, value: Buffer, onAction: (action: Problem) => void): Span | undefined {
  try {
    const events = readRow(session, new SessionKeys(session), value, seq)
    return { from: events[0]?.seq ?? seq, to: seq, bytes: value.length }
  } catch (error) {
    if (!isStoreError(error)) throw error
    onAction({ message: error.message, session, seq })
    return undefined
  }
}

/** Spans come in the order of their ends. Rows that were sealed into a segment may still be there as well. */
function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1)
  if (last !== undefined && span.from <= last.to + 1) {
    spans[spans.length - 1] = { from: Math.min(last.from, span.from), to: span.to, bytes: last.bytes + span.bytes }
  } else spans.push(span)
}

/** Writes the head that fits the events, and says what is lost. False if nothing is left of the session. */
async function settle(
  batch: WriteBatch,
  session: string,
  head: HeadRow | undefined,
  spans: readonly Span[],
  onAction: (action: Problem) => void,
): Promise<boolean> {
  const keys = new SessionKeys(session)
  const isTrimmedAway = head !== undefined && head.first > head.last
  const first = head?.first ?? spans[0]?.from ?? 1
  const kept = spans.find((span) => span.to >= first)
  if (isTrimmedAway) {
    batch.put(keys.head, encodeHead(keys.headSum, { ...head, trimmed: 1 }))
    await batch.write()
    return true
  }
  if (kept === undefined) {
    onAction({ message: `Session ${JSON.stringify(session)} is dropped: none of its events is left.`, session })
    batch.del(keys.head)
    await batch.write()
    return false
  }
  const from = Math.max(first, kept.from)
  const last = head === undefined ? kept.to : Math.min(kept.to, head.last)
  for (const span of spans) {
    if (span.from <= last) continue
    for (let seq = span.from; seq <= span.to; seq += 1) batch.del(keys.event(seq))
  }
  if (head !== undefined && from === head.first && last === head.last) {
    batch.put(keys.head, encodeHead(keys.headSum, { ...head, trimmed: 1 }))
  } else {
    const message = `Session ${JSON.stringify(session)} is cut to its events ${from} to ${last}${head === undefined ? '; its head is lost' : ` of ${head.first} to ${head.last}`}.`
    onAction({ message, session, seq: head === undefined || from > head.first ? from : last + 1 })
    // Null: the projection was made for other events, so core folds the log again.
    const projection = encodePayload(null).value.toString('latin1', HEADER_BYTES)
    const incarnation = head?.incarnation ?? randomUUID()
    const row = { first: from, last, sealed: last, trimmed: 1, bytes: kept.bytes, incarnation, projection, json: false }
    batch.put(keys.head, encodeHead(keys.headSum, row))
  }
  await batch.write()
  return true
}
