import type { BackendDriver } from '../backend/backend-driver.ts'
import type {
  AppendOptions,
  Expected,
  Head,
  ListRange,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from '../backend/backend.ts'
import { clipRanges } from '../backend/clip-ranges.ts'
import { eraseConflict } from '../backend/erase-conflict.ts'
import type { EventRecord } from '../backend/event-record.ts'
import { planAppend } from '../backend/plan-append.ts'
import type { Json } from '../json/json.ts'
import { compareKeys } from '../keys/compare-keys.ts'

interface Session {
  readonly first: number
  readonly incarnation: string
  /** Events from `first` on. */
  readonly events: EventRecord[]
  readonly last: number
  readonly projection: Json
}

/** Events per batch: large enough that the iteration costs nothing, small enough that an abort is seen soon. */
const BATCH = 1024

/** Small enough to be no estimate at all; a backend in memory has no better answer that is cheap. */
const ROUGH_EVENT_BYTES = 512

const WRITTEN = Promise.resolve()

/* eslint-disable typescript/require-await -- what throws must reject, as a storage that has to be waited for would */

/** Keeps sessions until it is closed. */
export class MemoryDriver implements BackendDriver {
  readonly report: OpenReport = { created: true, findings: [] }
  readonly #sessions = new Map<string, Session>()

  async append(...change: Parameters<BackendDriver['append']>): Promise<void> {
    return this.appendAtOnce(...change)
  }

  appendAtOnce(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options: AppendOptions | undefined,
  ): Promise<void> {
    const found = this.#sessions.get(session)
    const { first, last } = planAppend(session, found, expected, events, options)
    const kept = found?.events ?? []
    // A running read has its own copy of the array, so the events may be kept in place.
    const next = first === found?.first || found === undefined ? kept : kept.slice(first - found.first)
    for (const event of events) if (event.seq >= first) next.push(sealed(event))
    const { incarnation } = expected
    this.#sessions.set(session, { first, last, incarnation, events: next, projection: sealed(projection) })
    return WRITTEN
  }

  async *read(
    session: string,
    ranges: readonly Range[],
    { reverse = false, limit = Infinity }: ReadOptions,
  ): AsyncGenerator<readonly EventRecord[]> {
    const found = this.#sessions.get(session)
    if (found === undefined) return
    const wanted = clipRanges(found, ranges).flatMap(({ from, to }) =>
      found.events.slice(from - found.first, to - found.first + 1),
    )
    if (reverse) wanted.reverse()
    const end = Math.min(wanted.length, limit)
    for (let start = 0; start < end; start += BATCH) yield wanted.slice(start, Math.min(start + BATCH, end))
  }

  async head(session: string): Promise<Head | undefined> {
    const found = this.#sessions.get(session)
    return found === undefined ? undefined : toHead(found)
  }

  async *list({ prefix = '', after, limit = Infinity }: ListRange): AsyncGenerator<readonly SessionHead[]> {
    const keys = [...this.#sessions.keys()]
      .filter((key) => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0))
      .sort(compareKeys)
    const end = Math.min(keys.length, limit)
    for (let start = 0; start < end; start += BATCH) {
      const batch: SessionHead[] = []
      for (const session of keys.slice(start, Math.min(start + BATCH, end))) {
        const found = this.#sessions.get(session)
        if (found !== undefined) batch.push({ session, ...toHead(found) })
      }
      if (batch.length > 0) yield batch
    }
  }

  async erase(session: string, expectedLast: number): Promise<void> {
    const actual = this.#sessions.get(session)?.last ?? 0
    if (actual !== expectedLast) throw eraseConflict(session, expectedLast, actual)
    this.#sessions.delete(session)
  }

  async close(): Promise<void> {
    this.#sessions.clear()
  }
}

function toHead({ first, last, incarnation, events, projection }: Session): Head {
  return { first, last, incarnation, bytes: events.length * ROUGH_EVENT_BYTES, projection }
}

/** The value itself if nobody can change it any more, otherwise a copy that nobody can change. */
function sealed<T>(value: T): T {
  return isSealed(value as Json) ? value : (sealedCopy(value as Json) as T)
}

function isSealed(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (!Object.isFrozen(value)) return false
  return Object.values(value).every(isSealed)
}

function sealedCopy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(sealedCopy))
  const copy: Record<string, Json> = {}
  for (const [key, child] of Object.entries(value)) {
    if (key !== '__proto__') copy[key] = sealedCopy(child)
    // Assigning would call a setter instead of making a property.
    else Object.defineProperty(copy, key, { value: sealedCopy(child), enumerable: true })
  }
  return Object.freeze(copy)
}
