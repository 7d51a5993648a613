import type { HistoryApi } from '@turnlog/messages'
import type { Backend } from '../backend/backend.ts'
import type { Problem } from '../backend/maintenance.ts'
import type { Position } from '../events/run.ts'
import type { SessionEvent } from '../events/session-event.ts'
import type { JsonObject } from '../json/json.ts'
import type { SummaryRequest } from '../plan/summarize.ts'

/** The least that a message is. Use your SDK's own type as `M` instead. */
export interface Message {
  readonly role: string
  readonly content?: unknown
  readonly [field: string]: unknown
}

export interface WriteOptions {
  /** `CONFLICT` unless the session is at this version; 0: it must not exist (or be deleted). @default no check */
  readonly expectedVersion?: number
  /**
   * Makes a retry safe: the same id with the same request gives the first result and writes nothing. The last 32 ids of
   * a session are remembered. An operation that had nothing to write leaves no trace of its id. @default none
   */
  readonly operationId?: string
}

export interface WriteResult {
  /** Seq of the session's last event; unchanged if there was nothing to write. */
  readonly version: number
}

export interface TruncateResult extends WriteResult {
  readonly kept: number
  readonly removed: number
  /** The cut moved back, so as not to split a tool call from its results. */
  readonly moved: boolean
}

export interface HistoryOptions {
  /** The last so many messages; more if that would split a tool call from its results. @default all */
  readonly limit?: number
  /** `limit` cuts blindly. @default false */
  readonly exact?: boolean
  /** The history as it was at this version. @default now */
  readonly at?: number
  /**
   * Results moved behind their calls, interrupted calls answered, results without a call dropped; see `repairPairs`. The
   * log stays as it is. @default false
   */
  readonly repair?: boolean
  /**
   * The history as this API takes it: pairs mended, order and beginning as it wants them, `limit` included. Messages are
   * not converted, and what is fine stays as it is. @default `for` of the store
   */
  readonly for?: HistoryApi
  /** Deep, mutable copies, for frameworks that edit messages. Costs a copy of everything. @default false */
  readonly copy?: boolean
}

export interface TruncateOptions extends WriteOptions {
  /** Cut just there, also between a tool call and its results. @default false */
  readonly exact?: boolean
}

/**
 * One consistent read of a session. Version 0 and empty if there is none. With `at`, messages and summary are those of
 * that version; metadata, `createdAt` and `updatedAt` are those of now.
 */
export interface SessionView<M> {
  readonly key: string
  readonly version: number
  readonly summary: string
  readonly messages: M[]
  /**
   * The position of each message, for `summarize`, `truncateHistory` and `replaceFrom`. An answer that `repair` made has
   * position and time of the message before it.
   */
  readonly positions: Position[]
  /** With `repair` or `for`: the positions of all messages that each one stands for; none if it was made. */
  readonly sources?: Position[][]
  /**
   * With `repair` or `for`: the last position that a summary of the messages up to this one covers, for `summarize`; 0
   * if there is none. A result that was moved forward never makes it pass a message that was not shown.
   */
  readonly through?: Position[]
  /** When each message was recorded, in milliseconds. */
  readonly times: number[]
  readonly metadata: JsonObject
  readonly createdAt: number
  readonly updatedAt: number
}

export interface SessionInfo {
  readonly key: string
  readonly version: number
  readonly messages: number
  readonly metadata: JsonObject
  readonly createdAt: number
  readonly updatedAt: number
  /** What its events take in the storage, roughly. */
  readonly bytes: number
}

export interface ListOptions {
  /** Only keys that begin with it. */
  readonly prefix?: string
  /** Only keys after it, in byte order. */
  readonly after?: string
  readonly limit?: number
}

export interface EventRange {
  /** @default the first event that is left */
  readonly from?: number
  /** @default the last */
  readonly to?: number
  /** Newest first. @default false */
  readonly reverse?: boolean
  readonly limit?: number
}

export interface WatchOptions {
  /** Deliver every event after this seq. @default only what comes from now on */
  readonly after?: number
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal
}

export interface CompactResult {
  readonly eventsRemoved: number
  readonly bytesFreed: number
}

export interface DeleteOptions {
  /** Leave no byte of it; numbering then restarts at 1. @default false: one event says that it was deleted */
  readonly erase?: boolean
  readonly expectedVersion?: number
  readonly reason?: string
}

/** What one step of a sweep did. */
export interface SweepResult {
  /** Sessions and traces of deleted ones that it looked at. */
  readonly sessions: number
  /** Sessions deleted because nobody had used them for as long as `expire` says. */
  readonly expired: number
  /** Traces of deleted sessions that were erased. */
  readonly tracesErased: number
  /** Sessions from which events were removed. */
  readonly compacted: number
  readonly eventsRemoved: number
  /** Sessions that could not be worked on; a warning tells more of each. */
  readonly failed: number
  /** The wall clock has jumped, so nothing was removed for its age. */
  readonly clockJumped: boolean
  /** The last session was reached; the next step begins with the first. */
  readonly done: boolean
}

export interface StoreStats {
  /** Exactly. */
  readonly sessions: number
  /** Sessions of which only the trace of their deletion is left, exactly. */
  readonly deletedSessions: number
  /** Events that can be read, of all sessions, exactly. */
  readonly events: number
  /** Messages in all views, exactly. */
  readonly messages: number
  /** What the views take as JSON text, roughly. */
  readonly liveBytes: number
  /** What the views have no use for, in the storage, roughly: what compacting everything would free. */
  readonly deadBytes: number
  /** What the readable events take in the storage, roughly. */
  readonly bytes: number
  /** What the storage takes on disk, exactly; absent if the backend cannot tell. */
  readonly diskBytes?: number
  /** When the session that has been idle for longest was last used, exactly. */
  readonly oldestUpdate?: number
  /** When any session was last used, exactly. */
  readonly newestUpdate?: number
  /** The ten sessions that take the most bytes, largest first. */
  readonly largest: readonly LargeSession[]
  /**
   * About what the sessions that are there grew by on each of the last seven days, as if each had grown evenly from its
   * creation to its last update.
   */
  readonly growthBytesPerDay: number
}

export interface LargeSession {
  readonly key: string
  readonly bytes: number
  readonly messages: number
}

/** What happened to a session in another program, with its time in milliseconds. */
export type ImportedEvent<M extends object = Message> = {
  readonly at: number
  /** Names its source in errors, such as a file and a line. @default its place in the list */
  readonly source?: string
} & (
  | { readonly type: 'MessageAdded'; readonly message: M }
  /** Only the last so many messages stay in the view. */
  | { readonly type: 'Truncated'; readonly keepLast: number }
  | { readonly type: 'SummarySet'; readonly summary: string }
  | { readonly type: 'MetadataSet'; readonly metadata: Readonly<Record<string, unknown>> }
  | { readonly type: 'Noted'; readonly kind: string; readonly data: unknown }
)

export interface ImportOptions {
  /** Stands for the contents: a repeat is recognised by it. */
  readonly operationId: string
  /** Say what would happen, and write nothing. @default false */
  readonly dryRun?: boolean
}

/** `conflict`: the session has, or had, other contents, and was not changed. */
export type ImportOutcome = 'imported' | 'already-there' | 'conflict'

export type VerifyProblem = Problem

export interface VerifyReport {
  readonly ok: boolean
  readonly sessions: number
  readonly events: number
  readonly problems: readonly VerifyProblem[]
}

/**
 * Conversations, kept as logs of events. Every operation is one atomic append; resolved means durable.
 *
 * Returned arrays are fresh, returned messages are shared and frozen. What was passed in is copied, never kept.
 * Every method rejects with `INVALID_KEY` for a key that cannot name a session and with `CLOSED` after `close`.
 */
export interface SessionStore<M extends object = Message> extends AsyncDisposable {
  /** What the store keeps its events in, for copies of whole logs. The store notices what is written to it directly. */
  readonly backend: Backend
  /** Adds one message; creates the session if there is none. */
  addMessage(key: string, role: string, content: string, options?: WriteOptions): Promise<WriteResult>
  addMessage(key: string, message: M, options?: WriteOptions): Promise<WriteResult>
  /** Adds all of them or none. The last one's position is the version that results. */
  addMessages(key: string, messages: readonly M[], options?: WriteOptions): Promise<WriteResult>
  /** What the model may see, without the summary; `[]` if there is no such session. */
  getHistory(key: string, options?: HistoryOptions): Promise<M[]>
  /** `''` if there is none. */
  getSummary(key: string): Promise<string>
  setSummary(key: string, summary: string, options?: WriteOptions): Promise<WriteResult>
  /**
   * Cuts the view to its last messages, or to what begins with a message. Moves back rather than split a tool call from
   * its results; `keepLast` of 0 or less removes all. Nothing is deleted: `restore` brings it back until `compact`.
   */
  truncateHistory(
    key: string,
    keepLast: number | { readonly before: Position },
    options?: TruncateOptions,
  ): Promise<TruncateResult>
  /** Makes the view exactly this, by writing only what is new. */
  setHistory(key: string, messages: readonly M[], options?: WriteOptions): Promise<WriteResult>
  /**
   * Removes every message that left the view, for good, with what stands around it in the log. Other events that no
   * longer contribute, such as notes and earlier summaries, go as far as that frees more than it takes.
   */
  compact(key: string): Promise<CompactResult>
  /** Every session, in the byte order of the keys. Deleted ones are not listed. */
  listSessions(options?: ListOptions): AsyncIterable<SessionInfo>
  /** Waits for what was begun, then releases everything. Idempotent. */
  close(): Promise<void>

  /** History and summary of one version, with the positions that `summarize` takes. */
  load(key: string, options?: HistoryOptions): Promise<SessionView<M>>
  /**
   * Sets a summary and cuts what it covers, in one append. `CONFLICT` if another summary, cut or replacement came after
   * `version`. Messages added meanwhile stay.
   */
  summarize(key: string, request: SummaryRequest, options?: WriteOptions): Promise<TruncateResult>
  /** Replaces a message and everything after it: pop (with `[]`), regenerate, edit and resend, save a stream. */
  replaceFrom(key: string, position: Position, messages: readonly M[], options?: WriteOptions): Promise<WriteResult>
  /** The log itself. `TRIMMED` if `from` was compacted away. */
  events(key: string, range?: EventRange): AsyncIterable<SessionEvent<M>>
  /** View and summary as they were at a version, as a new event: undoes a bad cut. */
  restore(key: string, target: { readonly at: number }, options?: WriteOptions): Promise<WriteResult>
  /** A new session with the view, summary and metadata of another. `CONFLICT` if `to` exists. */
  fork(from: string, to: string, options?: { readonly at?: number }): Promise<WriteResult>
  /**
   * Events as they are recorded, by this process or another. Ends when the store closes. `TRIMMED` if events were removed
   * before they were delivered, also by the very append that brought them.
   */
  watch(key: string, options?: WatchOptions): AsyncIterable<SessionEvent<M>>
  /** Merges top-level fields; `null` removes one. At most 4 KB in all. */
  setMetadata(key: string, metadata: Readonly<Record<string, unknown>>, options?: WriteOptions): Promise<WriteResult>
  /** Records something that is not part of the conversation: usage, approvals, links. */
  note(key: string, kind: string, data: unknown, options?: WriteOptions): Promise<WriteResult>
  /** False if there was no such session. What is remembered of `operationId`s goes with it. */
  deleteSession(key: string, options?: DeleteOptions): Promise<boolean>
  /**
   * Deletes sessions without an event for so long. Damaged ones are passed over and the first is thrown at the end; if
   * the store closes meanwhile, `CLOSED`. What was deleted until then stays so.
   */
  expire(options: { readonly idleForMs: number; readonly prefix?: string }): Promise<{ readonly sessions: number }>
  /**
   * One step of the sweeper by hand: looks at some more sessions and does what `expire`, `retention` and `autoCompact`
   * ask for. Call it until `done`; a session expires only when two sweeps, an interval apart, have found it idle.
   */
  sweep(): Promise<SweepResult>
  /**
   * Begins a session with what happened elsewhere, in one append: every event with its own time, in this order. Only for
   * a key under which nothing was ever recorded.
   */
  importEvents(key: string, events: readonly ImportedEvent<M>[], options: ImportOptions): Promise<ImportOutcome>
  /** Counted over the heads of all sessions; no log is read. */
  stats(): Promise<StoreStats>
  /** Reads every log, compares it with what is derived from it, and changes nothing. */
  verify(key?: string): Promise<VerifyReport>
}
