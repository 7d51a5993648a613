import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppendOptions, Backend, EventRecord, Json, SessionHead } from '@turnlog/core/backend'
import { onTestFinished } from 'vitest'

/** A directory of the test's own, removed after it. */
export async function scratchDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'turnlog-jsonl-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export function message(seq: number, content: Json = `message ${seq}`): EventRecord {
  return {
    seq,
    id: `id-${seq}`,
    type: 'MessageAdded',
    v: 1,
    at: 1_700_000_000_000 + seq,
    message: { role: 'user', content },
  }
}

/** Appends messages after `last`; gives the new last seq. */
export async function appendMessages(
  backend: Backend,
  session: string,
  last: number,
  count: number,
  options?: AppendOptions,
): Promise<number> {
  const events = Array.from({ length: count }, (_, index) => message(last + 1 + index))
  await backend.append(
    session,
    { last, incarnation: `life of ${session}` },
    events,
    { messages: last + count },
    options,
  )
  return last + count
}

export async function readAll(backend: Backend, session: string): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  for await (const batch of backend.read(session, [{ from: 1, to: Number.MAX_SAFE_INTEGER }])) events.push(...batch)
  return events
}

export async function listAll(backend: Backend): Promise<SessionHead[]> {
  const heads: SessionHead[] = []
  for await (const batch of backend.list()) heads.push(...batch)
  return heads
}
