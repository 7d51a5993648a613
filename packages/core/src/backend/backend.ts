import type { Json } from '../json/json.ts'
import type { Capabilities } from './capabilities.ts'
import type { EventRecord } from './event-record.ts'
import type { Maintenance } from './maintenance.ts'

/** The version of the contract on this page. Core refuses a backend that implements another one. */
export const CONTRACT = 1

/** What an append expects to find. */
export interface Expected {
  /** The last seq of the session, 0 if it must not exist. */
  readonly last: number
  /** The id of the session's life. When `last` is 0: the id of the life that this append begins. */
  readonly incarnation: string
}

export interface AppendOptions {
  /**
   * The logical start of the session after this append: events before it are gone for every later read.
   * A value at or below the present start changes nothing. At least 1, at most one more than the last new seq.
   */
  readonly trimBefore?: number
  /** The session must not exist (`expected.last` is 0) and begins at the seq of the first event, whatever that is. */
  readonly import?: boolean
}

/** Both ends belong to it. `to` may lie beyond the last event. If it lies before `from` the range is empty. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface ReadOptions {
  /** From the last event of the last range to the first of the first. @default false */
  readonly reverse?: boolean
  /** The most events over all ranges; 0 gives none. @default all of them */
  readonly limit?: number
  /** Ends the read; the iterator then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface Head {
  /** The first seq that can be read; `last + 1` if everything is trimmed. */
  readonly first: number
  readonly last: number
  readonly incarnation: string
  /** What the readable events take in this storage, roughly; never 0 while there are any. */
  readonly bytes: number
  /** As given with the last append. */
  readonly projection: Json
}

export interface SessionHead extends Head {
  readonly session: string
}

export interface ListRange {
  /** Only keys that begin with it. */
  readonly prefix?: string
  /** Only keys after it, in byte order; it need not exist. */
  readonly after?: string
  readonly limit?: number
}

export interface OpenOptions {
  /**
   * Refuse every write with `READ_ONLY` and change nothing on the storage. Where there is no store that is `NOT_FOUND`,
   * and none is made. @default false
   */
  readonly readOnly?: boolean
}

/** Something that opening found or did and that the owner of the store should know. */
export interface OpenFinding {
  /**
   * `torn-tail`: an append that was never acknowledged was cut off. `lost-tail`: acknowledged appends are missing
   * (possible only where `durability` is not `sync`). `set-aside`: files were moved out of the way.
   * `stale-lock`: the lock of a dead owner was taken over.
   */
  readonly kind: 'torn-tail' | 'lost-tail' | 'set-aside' | 'stale-lock'
  /** One sentence for a person. No message contents. */
  readonly message: string
  readonly session?: string
  readonly file?: string
  readonly bytes?: number
}

export interface OpenReport {
  /** There was no store here before. */
  readonly created: boolean
  readonly findings: readonly OpenFinding[]
}

/**
 * A place to keep the events of many sessions.
 *
 * Core calls it with valid keys and normalised, deeply frozen JSON. Views, retention, retries, idempotence, pairing,
 * caching and subscriptions are core's, so a backend has nothing to know about messages.
 *
 * Lifecycle: every method but `open` and `close` rejects with `CLOSED` unless the backend is open. Iterators reject
 * on their next step. `maintenance.repair` is the exception: it wants a closed backend.
 */
export interface Backend {
  readonly contract: 1
  readonly name: string
  readonly capabilities: Capabilities

  /**
   * Makes the backend usable. A call while it is open or opening gives the same report. A failed open leaves it
   * closed, releases everything, and may be repeated. A closed backend may be opened again.
   */
  open(options?: OpenOptions): Promise<OpenReport>

  /**
   * Waits for appends in flight, then releases everything. Idempotent; a second caller waits for the first.
   * Running iterators do not hold it up: their next step rejects with `CLOSED`.
   */
  close(): Promise<void>

  /**
   * One atomic write: compare, append all events, store the projection, move the logical start. All of it or nothing,
   * durable as `capabilities.durability` says when it resolves, visible to every later call.
   *
   * - `CONFLICT`, with `expected` and the true `actual` last seq (0 if there is no such session), unless the session
   *   is at `expected.last` in the same incarnation. Nothing has changed then.
   * - `INVALID_ARGUMENT` if `events` is empty, does not continue at `expected.last + 1` (but see `import`), has a gap,
   *   or `trimBefore` is below 1 or lies beyond the new end.
   * - `IO`, with what the storage said as its `cause`, if the storage failed. The outcome is then unknown until `head` has been asked.
   *
   * Among concurrent appends with one expected version exactly one wins.
   */
  append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void>

  /**
   * The events of the ranges that exist, in batches, all from one snapshot: what is appended or trimmed after the
   * first batch was asked for is not seen, and an append is seen whole or not at all. Ranges are ascending and do not
   * overlap (`INVALID_ARGUMENT` otherwise). A seq below 1, a fraction and a negative limit are `INVALID_ARGUMENT`. An unknown session has no events. A batch is never empty.
   * Leaving the loop early releases everything.
   */
  read(session: string, ranges: readonly Range[], options?: ReadOptions): AsyncIterable<readonly EventRecord[]>

  /** `undefined` if there is no such session. */
  head(session: string): Promise<Head | undefined>

  /**
   * Every session once, in the byte order of the UTF-8 keys, in batches that are never empty. Sessions that come or
   * go meanwhile may or may not be seen; all others are.
   */
  list(range?: ListRange): AsyncIterable<readonly SessionHead[]>

  /**
   * Removes every byte of a session, also from logs, journals, free pages and files that were set aside. All of it or nothing, for whoever reads
   * meanwhile and after a crash. `CONFLICT` unless its last seq is `expectedLast`; erasing what does not exist
   * (`expectedLast` 0) does nothing. Used again, the session begins at 1 in a new incarnation.
   */
  erase(session: string, expectedLast: number): Promise<void>

  /**
   * Yields whenever another process may have written to the session. A hint: it carries no data, may come without
   * cause, and core polls as well. Ends when `signal` aborts or the backend is closed.
   */
  wake?(session: string, signal: AbortSignal): AsyncIterable<void>

  readonly maintenance?: Maintenance
}
