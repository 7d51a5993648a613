import type {
  AppendOptions,
  Backend,
  Expected,
  Head,
  ListRange,
  OpenOptions,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from '../backend/backend.ts'
import type { BackendDefinition } from '../backend/backend-definition.ts'
import type { Capabilities } from '../backend/capabilities.ts'
import { checkRead, clipRanges } from '../backend/clip-ranges.ts'
import type { EventRecord } from '../backend/event-record.ts'
import { Lifecycle } from '../backend/lifecycle.ts'
import { planAppend } from '../backend/plan-append.ts'
import { StoreError } from '../errors/store-error.ts'
import type { Json } from '../json/json.ts'
import { compareKeys } from '../keys/compare-keys.ts'
import { sealed } from './sealed.ts'

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

/** Keeps sessions in this process until it is closed: for tests, for browsers, and as the reference for all others. */
export class MemoryBackend implements Backend {
  readonly contract = 1
  readonly name = 'memory'
  readonly capabilities: Capabilities = Object.freeze({
    persistent: false,
    durability: 'none',
    access: 'exclusive',
    concurrentReaders: false,
    detectsDamage: false,
  })
  readonly #lifecycle = new Lifecycle('memory')
  readonly #sessions = new Map<string, Session>()
  #readOnly = false

  open(options: OpenOptions = {}): Promise<OpenReport> {
    return this.#lifecycle.open(async () => {
      this.#readOnly = options.readOnly === true
      return { created: true, findings: [] }
    })
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => this.#sessions.clear())
  }

  // eslint-disable-next-line typescript/require-await -- a rejected promise, not an exception, is the contract
  async append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void> {
    this.#checkWritable()
    const found = this.#sessions.get(session)
    const { first, last } = planAppend(session, found, expected, events, options)
    const kept = found?.events ?? []
    // A running read has its own copy of the array, so the events may be kept in place.
    const next = first === found?.first || found === undefined ? kept : kept.slice(first - found.first)
    for (const event of events) if (event.seq >= first) next.push(sealed(event))
    this.#sessions.set(session, {
      first,
      last,
      incarnation: expected.incarnation,
      events: next,
      projection: sealed(projection),
    })
  }

  async *read(
    session: string,
    ranges: readonly Range[],
    options: ReadOptions = {},
  ): AsyncGenerator<readonly EventRecord[]> {
    const check = this.#lifecycle.guard()
    checkRead(ranges, options)
    const found = this.#sessions.get(session)
    if (found === undefined) return
    const wanted = clipRanges(found, ranges).flatMap(({ from, to }) =>
      found.events.slice(from - found.first, to - found.first + 1),
    )
    if (options.reverse === true) wanted.reverse()
    const end = Math.min(wanted.length, options.limit ?? wanted.length)
    for (let start = 0; start < end; start += BATCH) {
      check()
      options.signal?.throwIfAborted()
      yield wanted.slice(start, Math.min(start + BATCH, end))
    }
  }

  // eslint-disable-next-line typescript/require-await -- a rejected promise, not an exception, is the contract
  async head(session: string): Promise<Head | undefined> {
    this.#lifecycle.check()
    const found = this.#sessions.get(session)
    return found === undefined ? undefined : toHead(found)
  }

  async *list(range: ListRange = {}): AsyncGenerator<readonly SessionHead[]> {
    const check = this.#lifecycle.guard()
    const { prefix = '', after, limit = Infinity } = range
    const keys = [...this.#sessions.keys()]
      .filter((key) => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0))
      .sort(compareKeys)
    const end = Math.min(keys.length, limit)
    for (let start = 0; start < end; start += BATCH) {
      check()
      const batch: SessionHead[] = []
      for (const session of keys.slice(start, Math.min(start + BATCH, end))) {
        const found = this.#sessions.get(session)
        if (found !== undefined) batch.push({ session, ...toHead(found) })
      }
      if (batch.length > 0) yield batch
    }
  }

  // eslint-disable-next-line typescript/require-await -- a rejected promise, not an exception, is the contract
  async erase(session: string, expectedLast: number): Promise<void> {
    this.#checkWritable()
    const actual = this.#sessions.get(session)?.last ?? 0
    if (actual !== expectedLast) {
      throw new StoreError(
        'CONFLICT',
        `Cannot erase session ${JSON.stringify(session)}: expected version ${expectedLast}, found ${actual}.`,
        { session, expected: expectedLast, actual },
      )
    }
    this.#sessions.delete(session)
  }

  #checkWritable(): void {
    this.#lifecycle.check()
    if (this.#readOnly) throw new StoreError('READ_ONLY', 'The memory backend was opened read-only.')
  }
}

function toHead({ first, last, incarnation, events, projection }: Session): Head {
  return { first, last, incarnation, bytes: events.length * ROUGH_EVENT_BYTES, projection }
}

export function memoryBackend(): MemoryBackend {
  return new MemoryBackend()
}

export const backend: BackendDefinition = { name: 'memory', contract: 1, create: () => new MemoryBackend() }
