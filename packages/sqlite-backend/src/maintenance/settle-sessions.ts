import { randomBytes } from 'node:crypto'

import type { Problem } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { sessionChecksum } from '../format/checksums.ts'
import type { SessionRow } from '../format/session-row.ts'
import type { Tables } from '../format/tables.ts'
import type { Salvaged } from './salvage-rows.ts'

interface Stretch {
  readonly from: number
  readonly to: number
}

type Found = Omit<SessionRow, 'id' | 'crc' | 'bytes'>

/** Gives each session the events that can be read without a gap, and says what it loses. */
export function settleSessions(target: Database, tables: Tables, { sessions, keys }: Salvaged): Problem[] {
  const actions: Problem[] = []
  const ids = target.all<{ id: number }>(`SELECT DISTINCT at >> 32 AS id FROM ${tables.events}`).map(({ id }) => id)
  const taken = new Set<string>()
  for (const id of new Set([...sessions.keys(), ...ids])) {
    const found = sessions.get(id) ?? sessionOfEvents(target, tables, id, keys.get(id))
    const offsets = offsetsOf(target, tables, id)
    if (found === undefined || taken.has(found.key)) {
      actions.push({ message: `${offsets.length} events of a session whose key is lost are dropped.` })
      dropEvents(target, tables, id, undefined)
      continue
    }
    taken.add(found.key)
    actions.push(...settleSession(target, tables, id, found, offsets, sessions.has(id)))
  }
  return actions
}

function settleSession(
  target: Database,
  tables: Tables,
  id: number,
  found: Found,
  offsets: readonly number[],
  hasRow: boolean,
): Problem[] {
  const { key: session, base, first, last } = found
  const readable = offsets.filter((offset) => offset >= first - base && offset <= last - base)
  if (hasRow && readable.length === last - first + 1) {
    if (readable.length < offsets.length) dropEvents(target, tables, id, { from: first - base, to: last - base })
    writeRow(target, tables, id, found)
    return []
  }
  const [kept] = stretches(readable)
  dropEvents(target, tables, id, kept)
  if (kept === undefined) return [{ message: 'No event of it can be read: the session is removed.', session }]
  const row = { ...found, first: base + kept.from, last: base + kept.to, projection: 'null' }
  writeRow(target, tables, id, row)
  if (!hasRow)
    return [
      { message: `Its row is lost; events ${row.first} to ${row.last} are kept under a new incarnation.`, session },
    ]
  const message = `Events ${row.first} to ${row.last} are kept; of ${first} to ${last} there are damaged ones.`
  return [{ message, session, seq: row.first > first ? first : row.last + 1 }]
}

/** What the events themselves tell of a session whose row is lost. */
function sessionOfEvents(target: Database, { events }: Tables, id: number, key: string | undefined): Found | undefined {
  if (key === undefined) return undefined
  const row = target.get<{ offset: number; body: string; most: number }>(
    `SELECT at & 4294967295 AS offset, body FROM ${events} WHERE at >> 32 = ? ORDER BY at LIMIT 1`,
    id,
  )
  if (row === undefined) return undefined
  const base = (JSON.parse(row.body) as { seq: number }).seq - row.offset
  const last = base + (offsetsOf(target, { events } as Tables, id).at(-1) ?? 0)
  return { key, base, first: base + row.offset, last, incarnation: randomBytes(16).toString('hex'), projection: 'null' }
}

function offsetsOf(target: Database, { events }: Tables, id: number): number[] {
  return target
    .all<{ offset: number }>(
      `SELECT at & 4294967295 AS offset FROM ${events} WHERE at BETWEEN (? << 32) AND ((? << 32) | 4294967295) ORDER BY at`,
      id,
      id,
    )
    .map(({ offset }) => offset)
}

function stretches(offsets: readonly number[]): Stretch[] {
  const found: { from: number; to: number }[] = []
  for (const offset of offsets) {
    const previous = found.at(-1)
    if (previous?.to === offset - 1) previous.to = offset
    else found.push({ from: offset, to: offset })
  }
  return found
}

function dropEvents(target: Database, { events }: Tables, id: number, but: Stretch | undefined): void {
  target.run(
    `DELETE FROM ${events} WHERE at BETWEEN (? << 32) AND ((? << 32) | 4294967295) AND (at & 4294967295) NOT BETWEEN ? AND ?`,
    id,
    id,
    but?.from ?? 1,
    but?.to ?? 0,
  )
}

function writeRow(target: Database, { sessions, events }: Tables, id: number, row: Found): void {
  const { bytes = 0 } =
    target.get<{ bytes: number }>(
      `SELECT CAST(total(octet_length(body)) AS INTEGER) AS bytes FROM ${events} WHERE at BETWEEN (? << 32) AND ((? << 32) | 4294967295)`,
      id,
      id,
    ) ?? {}
  const { key, base, first, last, incarnation, projection } = row
  target.run(
    `INSERT INTO ${sessions} (id, key, base, first, last, incarnation, bytes, crc, projection) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    key,
    base,
    first,
    last,
    incarnation,
    bytes,
    sessionChecksum({ ...row, bytes }),
    projection,
  )
}
