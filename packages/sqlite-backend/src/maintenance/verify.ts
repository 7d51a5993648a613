import type { BackendVerifyReport, MaintenanceOptions, Problem } from '@turnlog/core/backend'

import { toStoreError } from '../database/to-store-error.ts'
import type { HeadText } from '../format/session-row.ts'
import type { VerifiedSession } from './verify-session.ts'

/** What is asked of the thread that has the database. */
export interface Verifier {
  verifyPages(): Promise<readonly string[]>
  findOrphans(): Promise<readonly string[]>
  verifySession(session: string): Promise<VerifiedSession>
  list(prefix: string, after: string | undefined, limit: number): Promise<readonly HeadText[]>
}

/** Reads everything: the pages as SQLite sees them, and every row with its checksum, session by session. */
export async function verifyStore(engine: Verifier, options: MaintenanceOptions = {}): Promise<BackendVerifyReport> {
  const { session: only, signal, onProgress } = options
  signal?.throwIfAborted()
  const problems: Problem[] = []
  const attempt = async (work: () => Promise<readonly string[]>): Promise<void> => {
    try {
      problems.push(...(await work()).map((message) => ({ message })))
    } catch (error) {
      problems.push({ message: damageOf(error) })
    }
  }
  const found = { sessions: 0, events: 0, bytes: 0 }
  const verify = async (key: string): Promise<void> => {
    signal?.throwIfAborted()
    const { events, bytes, problems: own } = await engine.verifySession(key)
    found.sessions++
    found.events += events
    found.bytes += bytes
    problems.push(...own)
  }
  if (only !== undefined) {
    await verify(only)
    return { ...found, problems }
  }
  await attempt(() => engine.verifyPages())
  const total = { sessions: 0 }
  await attempt(async () => {
    for await (const keys of listKeys(engine)) {
      total.sessions += keys.length
      for (const key of keys) {
        await verify(key)
        onProgress?.(found.sessions, total.sessions)
      }
    }
    return engine.findOrphans()
  })
  return { ...found, problems }
}

async function* listKeys(engine: Verifier): AsyncGenerator<readonly string[], void> {
  for (let last: string | undefined; ;) {
    const rows = await engine.list('', last, Infinity)
    if (rows.length === 0) return
    last = rows.at(-1)?.key
    yield rows.map(({ key }) => key)
  }
}

/** @throws what is no damage */
function damageOf(error: unknown): string {
  const found = toStoreError(error, 'verify')
  if (found.code === 'CORRUPT') return found.message
  throw error
}
