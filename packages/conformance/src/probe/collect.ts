import type { Backend, EventRecord, ListRange, Range, ReadOptions, SessionHead } from '@turnlog/core/backend'

/** More batches than any case can get from a right backend: an iterator without end fails instead of hanging. */
const MAX_BATCHES = 50_000

/** Every event there is. */
export const ALL: readonly Range[] = [{ from: 1, to: Number.MAX_SAFE_INTEGER }]

export async function readAll(
  backend: Backend,
  session: string,
  ranges: readonly Range[] = ALL,
  options?: ReadOptions,
): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  for await (const batch of bounded(backend.read(session, ranges, options))) events.push(...batch)
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
  for await (const batch of bounded(backend.list(range))) heads.push(...batch)
  return heads
}

export async function listKeys(backend: Backend, range?: ListRange): Promise<string[]> {
  return (await listAll(backend, range)).map(({ session }) => session)
}

async function* bounded<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0
  for await (const batch of batches) {
    if (++count > MAX_BATCHES) throw new Error(`an iterator gave more than ${MAX_BATCHES} batches`)
    yield batch
  }
}
