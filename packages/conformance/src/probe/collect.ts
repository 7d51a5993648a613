import type { Backend, EventRecord, ListRange, Range, ReadOptions, SessionHead } from '@turnlog/core/backend'

/** Every event there is. */
export const ALL: readonly Range[] = [{ from: 1, to: Number.MAX_SAFE_INTEGER }]

export async function readAll(
  backend: Backend,
  session: string,
  ranges: readonly Range[] = ALL,
  options?: ReadOptions,
): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  for await (const batch of backend.read(session, ranges, options)) events.push(...batch)
  return events
}

export async function readSeqs(
  backend: Backend,
  session: string,
  ranges: readonly Range[] = ALL,
  options?: ReadOptions,
): Promise<number[]> {
  return (await readAll(backend, session, ranges, options)).map(({ seq }) => seq)
}

export async function listAll(backend: Backend, range?: ListRange): Promise<SessionHead[]> {
  const heads: SessionHead[] = []
  for await (const batch of backend.list(range)) heads.push(...batch)
  return heads
}

export async function listKeys(backend: Backend, range?: ListRange): Promise<string[]> {
  return (await listAll(backend, range)).map(({ session }) => session)
}
