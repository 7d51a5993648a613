import type { Database } from '../database/database.ts'
import { eventChecksum, sessionChecksum } from '../format/checksums.ts'
import type { SessionRow } from '../format/session-row.ts'
import type { Tables } from '../format/tables.ts'
import type { DatabasePages } from './database-pages.ts'
import { recordsOf } from './page-records.ts'
import type { PageRecord } from './page-records.ts'

export interface Salvaged {
  /** By number, the newest row of each. */
  readonly sessions: Map<number, SessionRow>
  /** By number, from the indexes: for sessions whose row is lost. */
  readonly keys: Map<number, string>
}

const OFFSET_BITS = 32n
const OFFSET_MASK = 0xffff_ffffn

/**
 * Takes from every page what is whole, whether its tree can still be walked or not: rows prove themselves by their
 * checksums. Events go into `target`, under their numbers.
 */
export function salvageRows(pages: DatabasePages, target: Database, tables: Tables, signal?: AbortSignal): Salvaged {
  const sessions = new Map<number, SessionRow>()
  const keys = new Map<number, string>()
  const free = pages.free()
  for (let number = 1; number <= pages.count; number++) {
    signal?.throwIfAborted()
    if (free.has(number)) continue
    for (const record of recordsOf(pages, number)) {
      if (takeEvent(record, target, tables)) continue
      const session = sessionOf(record)
      if (session !== undefined) {
        if (session.last >= (sessions.get(session.id)?.last ?? 0)) sessions.set(session.id, session)
      } else takeKey(record, keys)
    }
  }
  return { sessions, keys }
}

function takeEvent({ rowid, columns }: PageRecord, target: Database, { events }: Tables): boolean {
  const [at, crc, body] = columns
  if (rowid === undefined || columns.length !== 3 || at !== null || typeof body !== 'string') return false
  const id = Number(rowid >> OFFSET_BITS)
  const offset = Number(rowid & OFFSET_MASK)
  if (typeof crc !== 'number' || eventChecksum(id, offset, body) !== crc) return false
  target.run(`INSERT OR IGNORE INTO ${events} (at, crc, body) VALUES ((? << 32) | ?, ?, ?)`, id, offset, crc, body)
  return true
}

function sessionOf({ rowid, columns }: PageRecord): SessionRow | undefined {
  if (rowid === undefined || columns.length !== 9) return undefined
  const [, key, base, first, last, incarnation, bytes, crc, projection] = columns
  const row = { id: Number(rowid), key, base, first, last, incarnation, bytes, crc, projection } as SessionRow
  return sessionChecksum(row) === row.crc ? row : undefined
}

function takeKey({ rowid, columns }: PageRecord, keys: Map<number, string>): void {
  const [key, id] = columns
  if (rowid === undefined && columns.length === 2 && typeof key === 'string' && typeof id === 'number')
    keys.set(id, key)
}
