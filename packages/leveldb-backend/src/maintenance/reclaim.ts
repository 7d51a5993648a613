import type { MaintenanceOptions } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { decodeHead } from '../format/head-row.ts'
import { EVENT_ROWS, HEAD_ROWS, parseKey, SessionKeys } from '../format/row-keys.ts'
import type { CachedSessions } from '../cache/cached-sessions.ts'
import type { Trimmer } from '../sessions/trim.ts'
import { RowStream } from './row-stream.ts'
import { storeSizes } from './sizes.ts'

interface Parts {
  readonly directory: string
  readonly database: Database
  readonly states: CachedSessions
  readonly trimmer: Trimmer
}

/** Carries out all trims that wait and compacts, so that the file system gets the space back. */
export async function reclaimSpace(
  { directory, database, states, trimmer }: Parts,
  { session, signal, onProgress }: MaintenanceOptions = {},
): Promise<{ readonly bytesFreed: number }> {
  const before = await storeSizes(directory)
  const keys = session === undefined ? undefined : new SessionKeys(session)
  const heads = new RowStream(database, keys === undefined ? HEAD_ROWS : { gte: keys.head, lte: keys.head }, undefined)
  let done = 0
  try {
    for (let row = await heads.peek(); row !== undefined; row = await heads.peek()) {
      signal?.throwIfAborted()
      heads.skip()
      const name = parseKey(row[0])?.name
      const head = name === undefined ? undefined : decodeHead(row[0], row[1], name)
      if (name !== undefined && head !== undefined && head.trimmed < head.first)
        trimmer.schedule(await states.load(name))
      done++
      onProgress?.(done, done)
    }
  } finally {
    await heads.close()
  }
  await trimmer.idle()
  const range =
    keys === undefined ? EVENT_ROWS : { gte: keys.eventCopy(0), lt: keys.eventCopy(Number.MAX_SAFE_INTEGER) }
  await database.compact(range.gte, range.lt)
  const after = await storeSizes(directory)
  return { bytesFreed: Math.max(0, before.bytes - after.bytes) }
}
