import type { Json } from '../json/json.ts'
import type { Capabilities } from './capabilities.ts'
import type { EventRecord } from './event-record.ts'
import type { Maintenance } from './maintenance.ts'

/**
 * The version of the contract on this page. Core refuses a backend that implements another one.
 * @case capabilities.contract; none (a duty of core)
 */
export const CONTRACT = 1

/** What an append expects to find. @case none (a name) */
export interface Expected {
  /**
   * The last seq of the session, 0 if it must not exist.
   * @case append.conflict.stale append.conflict.exists append.creates
   */
  readonly last: number
  /**
   * The session's incarnation. When `last` is 0: the incarnation that this append begins.
   * @case append.conflict.incarnation append.conflict.incarnation.exact; erase.begins-anew head.fields
   */
  readonly incarnation: string
}

export interface AppendOptions {
  /**
   * The logical start of the session after this append: events before it are gone for every later read.
   * A value at or below the present start changes nothing. At least 1, at most one more than the last new seq.
   * @case trim.* persistent.trim; trim.monotone; append.invalid.trim-below append.invalid.trim-beyond trim.everything
   */
  readonly trimBefore?: number
  /**
   * The session must not exist (`expected.last` is 0) and begins at the seq of the first event, whatever that is.
   * @case import.* persistent.import
   */
  readonly import?: boolean
}

/**
 * Both ends belong to it. `to` may lie beyond the last event. If it lies before `from` the range is empty.
 * @case read.range.ends; read.range.beyond; read.range.empty
 */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface ReadOptions {
  /**
   * From the last event of the last range to the first of the first.
   * @default false
   * @case read.reverse read.ranges.long
   */
  readonly reverse?: boolean
  /**
   * The most events over all ranges; 0 gives none.
   * @default all of them
   * @case read.limit read.ranges.several
   */
  readonly limit?: number
  /** Ends the read; the iterator then rejects with the signal's reason. @case read.abort.* */
  readonly signal?: AbortSignal
}

export interface Head {
  /**
   * The first seq that can be read; `last + 1` if everything is trimmed.
   * @case head.fields trim.everything head.equals-list
   */
  readonly first: number
  readonly last: number
  readonly incarnation: string
  /**
   * What the readable events take in this storage, roughly; never 0 while there are any.
   * @case head.bytes head.bytes.grows head.bytes.falls head.bytes.import
   */
  readonly bytes: number
  /**
   * As given with the last append.
   * @case projection.latest projection.every-value projection.falsy projection.large persistent.projection
   *   atomicity.list-with-projection
   */
  readonly projection: Json
}

export interface SessionHead extends Head {
  readonly session: string
}

export interface ListRange {
  /** Only keys that begin with it. @case list.prefix */
  readonly prefix?: string
  /** Only keys after it, in byte order; it need not exist. @case list.after */
  readonly after?: string
  readonly limit?: number
}

export interface OpenOptions {
  /**
   * Refuse every write with `READ_ONLY` and change nothing on the storage. Where there is no store that is `NOT_FOUND`,
   * and none is made.
   * @default false
   * @case read-only.*; read-only.no-store
   */
  readonly readOnly?: boolean
}

/** Something that opening found or did and that the owner of the store should know. @case corruption.truncated */
export interface OpenFinding {
  /**
   * `torn-tail`: an append that was never acknowledged was cut off. `lost-tail`: acknowledged appends are missing
   * (possible only where `durability` is not `sync`). `set-aside`: files were moved out of the way.
   * `stale-lock`: the lock of a dead owner was taken over.
   * @case corruption.truncated; corruption.truncated; erase.every-byte.set-aside; exclusive.released-by-death
   */
  readonly kind: 'torn-tail' | 'lost-tail' | 'set-aside' | 'stale-lock'
  /**
   * One sentence for a person. No message contents.
   * @case none (for people); corruption.no-contents append.refused.no-contents
   */
  readonly message: string
  readonly session?: string
  readonly file?: string
  readonly bytes?: number
}

export interface OpenReport {
  /**
   * There was no store here before.
   * @case persistent.created persistent.created.another-object lifecycle.open.report
   */
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
 * @case append.sessions-apart append.stores-apart atomicity.sessions-apart; keys.* values.* aliasing.* model.*;
 *   append.same-ids-again; lifecycle.never-opened lifecycle.opening lifecycle.closing lifecycle.closed
 *   lifecycle.close.calls-in-flight; lifecycle.read.closed-meanwhile lifecycle.list.closed-meanwhile
 *   lifecycle.read.belongs-to-its-opening lifecycle.list.belongs-to-its-opening wake.reopened; maintenance.repair.wants-closed
 */
export interface Backend {
  readonly contract: 1
  readonly name: string
  readonly capabilities: Capabilities

  /**
   * Makes the backend usable. A call while it is open or opening gives the same report. A failed open leaves it
   * closed, releases everything, and may be repeated. A closed backend may be opened again.
   * @case append.creates; lifecycle.open.same-report; exclusive.failed-open lifecycle.open.fails-again; lifecycle.reopened
   *   lifecycle.close.during-open lifecycle.open.during-close
   */
  open(options?: OpenOptions): Promise<OpenReport>

  /**
   * Waits for appends in flight, then releases everything. Idempotent; a second caller waits for the first.
   * Running iterators do not hold it up: their next step rejects with `CLOSED`.
   * @case lifecycle.close.waits-for-appends persistent.in-flight exclusive.released-by-close lifecycle.resources;
   *   lifecycle.close.idempotent lifecycle.close.second-waits; lifecycle.read.closed-meanwhile
   *   lifecycle.list.closed-meanwhile lifecycle.read.step-in-flight
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
   * @case atomicity.read-whole-batches atomicity.head-with-projection atomicity.trim-with-append append.batch.large
   *   append.resolves-undefined; durability.killed durability.acknowledged-then-killed durability.killed-in-large-append outside.large-append append.visible
   *   shared.other-process readers.sessions-come-and-go atomicity.read-after-head; append.conflict.stale
   *   append.conflict.ahead append.conflict.missing append.conflict.incarnation append.conflict.before-arguments
   *   append.conflict.incarnation.exact; append.conflict.stale trim.refused-append projection.refused-append;
   *   append.invalid.*; none (no case can make an unknown storage fail);
   *   none (the same); append.race.*
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
   * @case read.snapshot.append read.snapshot.trim read.snapshot.ranges shared.snapshot.append shared.snapshot.trim
   *   read.snapshot.new-incarnation shared.snapshot.new-incarnation readers.snapshot.append readers.snapshot.trim
   *   readers.snapshot.new-incarnation read.snapshot.many-writes readers.snapshot.many-writes outside.one-moment
   *   atomicity.read-whole-batches read.long read.very-long read.parallel read.range.matrix
   *   read.range.adjacent read.ranges.many erase.running-reader; read.invalid.order; read.invalid.numbers;
   *   read.unknown; read.batch.never-empty; read.break.releases read.throw.releases list.break.releases
   */
  read(session: string, ranges: readonly Range[], options?: ReadOptions): AsyncIterable<readonly EventRecord[]>

  /** `undefined` if there is no such session. @case head.unknown */
  head(session: string): Promise<Head | undefined>

  /**
   * Every session once, in the byte order of the UTF-8 keys, in batches that are never empty. Sessions that come or
   * go meanwhile may or may not be seen; all others are.
   * @case list.every-session-once list.thousand list.byte-order list.batch.never-empty list.empty list.matrix
   *   list.paging; list.stable list.thousands-come-and-go
   */
  list(range?: ListRange): AsyncIterable<readonly SessionHead[]>

  /**
   * Removes every byte of a session, also from logs, journals, free pages and files that were set aside. All of it or nothing,
   * for whoever reads meanwhile and after a crash: a read that meets an erase may end with a `StoreError` other than
   * `CORRUPT`, `head` and `list` may not. `CONFLICT` unless its last seq is `expectedLast`; erasing what does not exist
   * (`expectedLast` 0) does nothing. Used again, the session begins at 1 in a new incarnation.
   * @case erase.every-byte erase.every-byte.set-aside erase.every-byte.killed erase.every-byte.large
   *   erase.every-byte.beside-reader erase.removes erase.trimmed
   *   erase.sessions-apart persistent.erase; atomicity.erase durability.killed-in-erase readers.sessions-come-and-go outside.large-erase
   *   outside.comes-back durability.killed-in-large-erase;
   *   erase.compares erase.missing erase.race shared.erase.race shared.erase.processes; erase.begins-anew
   *   erase.stale-incarnation
   */
  erase(session: string, expectedLast: number): Promise<void>

  /**
   * Yields whenever another process may have written to the session: appended, trimmed or erased. A hint: it carries
   * no data, may come without cause, and core polls as well. Ends when `signal` aborts or the backend is closed, and
   * leaves no timer and no handle behind.
   * @case wake.hints wake.processes wake.readers wake.every-write wake.every-write.readers; none (a duty of core); wake.ends wake.closed
   *   wake.leaves-nothing
   */
  wake?(session: string, signal: AbortSignal): AsyncIterable<void>

  readonly maintenance?: Maintenance
}
