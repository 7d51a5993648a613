import { planAppend, StoreError } from '@turnlog/core/backend'
import type { EventRecord } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { eventChecksum, sessionChecksum } from '../format/checksums.ts'
import { corrupt } from '../format/corrupt.ts'
import type { SessionRow } from '../format/session-row.ts'
import type { Tables } from '../format/tables.ts'
import { findSession } from '../read/find-session.ts'
import type { AppendRequest } from './append-request.ts'

/** The numbers of a session have 32 bits of a row's key. */
const MAX_EVENTS = 0xffff_ffff

/**
 * Compares and writes, inside a transaction. What it throws as a `StoreError` it throws before the first write, so that
 * one refusal leaves the others of its group alone.
 *
 * @throws `CONFLICT`, `INVALID_ARGUMENT`, `CORRUPT`, `TOO_LARGE`
 */
export function appendSession(database: Database, tables: Tables, request: AppendRequest): void {
  const { session, expected, texts, projection } = request
  const found = findSession(database, tables, session)
  const { first, last } = planAppend(session, found, expected, request.events as EventRecord[], {
    ...(request.trimBefore === undefined ? {} : { trimBefore: request.trimBefore }),
    import: request.isImport,
  })
  const start = last - texts.length + 1
  const base = found?.base ?? start - 1
  if (last - base > MAX_EVENTS) {
    throw new StoreError(
      'TOO_LARGE',
      `Session ${JSON.stringify(session)} has ${MAX_EVENTS} events, the most that SQLite takes.`,
      { session },
    )
  }
  if (found !== undefined) checkEnd(database, tables, found)
  const trimmed = found === undefined ? 0 : trimEvents(database, tables, found, first)
  const skipped = Math.max(0, Math.min(first, last + 1) - start)
  const kept = skipped === 0 ? request.bytes : bytesOf(texts.slice(skipped))
  const bytes = (found?.bytes ?? 0) - trimmed + kept
  const row = { key: session, base, first, last, incarnation: expected.incarnation, bytes, projection }
  const id = writeRow(database, tables, found, row)
  const insert = `INSERT INTO ${tables.events} (at, crc, body) VALUES ((? << 32) | ?, ?, ?)`
  for (let index = skipped; index < texts.length; index++) {
    const offset = start + index - base
    const body = texts[index] ?? ''
    database.run(insert, id, offset, eventChecksum(id, offset, body), body)
  }
}

/** A head that is older or newer than its events would be continued in the wrong place. */
function checkEnd(database: Database, { events }: Tables, { key, id, base, first, last }: SessionRow): void {
  const end = database.get<{ offset: number }>(
    `SELECT at & 4294967295 AS offset FROM ${events} WHERE at BETWEEN (? << 32) AND ((? << 32) | 4294967295) ORDER BY at DESC LIMIT 1`,
    id,
    id,
  )
  const expected = first > last ? undefined : last - base
  if (end?.offset === expected) return
  throw corrupt(`its row says that it ends at ${last}, and its events end elsewhere`, { session: key, seq: last })
}

/** @returns the bytes of the events that are gone */
function trimEvents(
  database: Database,
  { events }: Tables,
  { id, base, first: old }: SessionRow,
  first: number,
): number {
  if (first <= old) return 0
  const range = 'WHERE at BETWEEN (? << 32) AND ((? << 32) | ?)'
  const end = first - 1 - base
  const { bytes = 0 } =
    database.get<{ bytes: number }>(
      `SELECT CAST(total(octet_length(body)) AS INTEGER) AS bytes FROM ${events} ${range}`,
      id,
      id,
      end,
    ) ?? {}
  database.run(`DELETE FROM ${events} ${range}`, id, id, end)
  return bytes
}

function writeRow(
  database: Database,
  { sessions }: Tables,
  found: SessionRow | undefined,
  row: Omit<SessionRow, 'id' | 'crc'>,
): number {
  const { key, base, first, last, incarnation, bytes, projection } = row
  const crc = sessionChecksum(row)
  if (found === undefined) {
    return database.run(
      `INSERT INTO ${sessions} (key, base, first, last, incarnation, bytes, crc, projection) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      key,
      base,
      first,
      last,
      incarnation,
      bytes,
      crc,
      projection,
    )
  }
  database.run(
    `UPDATE ${sessions} SET first = ?, last = ?, bytes = ?, crc = ?, projection = ? WHERE id = ?`,
    first,
    last,
    bytes,
    crc,
    projection,
    found.id,
  )
  return found.id
}

function bytesOf(texts: readonly string[]): number {
  let bytes = 0
  for (const text of texts) bytes += Buffer.byteLength(text)
  return bytes
}
