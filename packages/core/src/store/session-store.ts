import type { HistoryApi } from '@turnlog/messages'
import type { Backend } from '../backend/backend.ts'
import type { Problem } from '../backend/maintenance.ts'
import type { Position } from '../events/run.ts'
import type { SessionEvent } from '../events/session-event.ts'
import type { JsonObject } from '../json/json.ts'
import type { UsageSums } from '../normalise/usage-sums.ts'
import type { Pin, StartOn } from '@turnlog/messages'
import type { TurnOptions } from '../queue/turn-queues.ts'
import type { SummaryRequest } from '../plan/summarize.ts'
import type { PrefixChange } from '../plan/view-change.ts'

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

export interface AddOptions extends WriteOptions {
  /**
   * More of the message is to come: `replaceMessage` puts the rest in its place. After a crash, `load().unfinished` says
   * which messages never were finished. Not part of the message. @default false
   */
  readonly unfinished?: boolean
}

export interface WriteResult {
  /** Seq of the session's last event; unchanged if there was nothing to write. */
  readonly version: number
  /**
   * Where the added messages are, in their order; absent if there are none. A repeat of an operation id gives them as
   * well, unless they lay in so many places that they were not remembered (a batch with about ten of them or more).
   */
  readonly positions?: Position[]
  /** Absent if the view stays as it is, and for a repeat of an operation id. */
  readonly prefix?: PrefixChange
}

/** Of a write that adds messages. */
export interface AddResult extends WriteResult {
  readonly positions: Position[]
}

export interface TruncateResult extends WriteResult {
  readonly kept: number
  readonly removed: number
  /** The cut is not where it was asked for: it would have split a tool call from its results, or `startOn` moved it. */
  readonly moved: boolean
}

/** How a view begins after a cut. Whoever names a number gets it, so both are off unless asked for. */
export interface CutOptions {
  /** Cut blindly, also between a tool call and its results; nothing is pinned. @default false */
  readonly exact?: boolean
  /**
   * `'user'`: begin with the first message of a user from there on, which leaves fewer messages rather than more; where
   * no user speaks in them, as `'any'`. @default 'any'
   */
  readonly startOn?: StartOn
  /** `'system'`: system and developer messages at the beginning stay; they count. @default 'none' */
  readonly pin?: Pin
}

export interface HistoryOptions extends CutOptions {
  /** The last so many messages; more if that would split a tool call from its results. @default all */
  readonly limit?: number
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

export interface TruncateOptions extends WriteOptions, CutOptions {}

/**
 * A session during its turn: the methods of the store without the key. A write after the turn is `CONFLICT`.
 */
export interface SessionTurn<M extends object = Message> {
  readonly key: string
  /** Aborts with the caller's signal and when the store closes. */
  readonly signal: AbortSignal
  addMessage(role: string, content: string, options?: AddOptions): Promise<AddResult>
  addMessage(message: M, options?: AddOptions): Promise<AddResult>
  addMessages(messages: readonly M[], options?: WriteOptions): Promise<AddResult>
  getHistory(options?: HistoryOptions): Promise<M[]>
  getSummary(): Promise<string>
  setSummary(summary: string, options?: WriteOptions): Promise<WriteResult>
  truncateHistory(keepLast: number | { readonly before: Position }, options?: TruncateOptions): Promise<TruncateResult>
  setHistory(messages: readonly M[], options?: WriteOptions): Promise<WriteResult>
  load(options?: HistoryOptions): Promise<SessionView<M>>
  info(): Promise<SessionInfo | undefined>
  summaryAt(version: number): Promise<string>
  events(range?: EventRange): AsyncIterable<SessionEvent<M>>
  batch(collect: (session: SessionBatch<M>) => void, options?: WriteOptions): Promise<WriteResult>
  replaceMessage(position: Position, message: M, options?: AddOptions): Promise<AddResult>
  replaceFrom(position: Position, messages: readonly M[], options?: WriteOptions): Promise<WriteResult>
  summarize(request: SummaryRequest, options?: WriteOptions): Promise<TruncateResult>
  restore(target: { readonly at: number }, options?: WriteOptions): Promise<WriteResult>
  setMetadata(metadata: Readonly<Record<string, unknown>>, options?: WriteOptions): Promise<WriteResult>
  note(kind: string, data: unknown, options?: WriteOptions): Promise<WriteResult>
}

/** What a batch collects. The methods are those of the store, without key and without version or operation id. */
export interface SessionBatch<M extends object = Message> {
  addMessage(role: string, content: string, options?: Pick<AddOptions, 'unfinished'>): void
  addMessage(message: M, options?: Pick<AddOptions, 'unfinished'>): void
  addMessages(messages: readonly M[]): void
  replaceMessage(position: Position, message: M, options?: Pick<AddOptions, 'unfinished'>): void
  replaceFrom(position: Position, messages: readonly M[]): void
  setHistory(messages: readonly M[]): void
  truncateHistory(keepLast: number | { readonly before: Position }, options?: CutOptions): void
  summarize(request: SummaryRequest): void
  setSummary(summary: string): void
  setMetadata(metadata: Readonly<Record<string, unknown>>): void
  note(kind: string, data: unknown): void
}

/**
 * One consistent read of a session. Version 0 and empty if there is none. With `at`, messages and summary are those of
 * that version; metadata, usage, `createdAt` and `updatedAt` are those of now.
 */
export interface SessionView<M> {
  readonly key: string
  readonly version: number
  /** Changes when the session is erased and begun anew under its key; `''` if there is none. */
  readonly incarnation: string
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
  /** Positions of the messages, among these, that were added or replaced with `unfinished` and never finished. */
  readonly unfinished: Position[]
  /** What the notes of the kind `usage` came to, by model; compaction does not change it. */
  readonly usage: UsageSums
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
  /** What the notes of the kind `usage` came to, by model; absent if there are none. */
  readonly usage?: UsageSums
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
  addMessage(key: string, role: string, content: string, options?: AddOptions): Promise<AddResult>
  addMessage(key: string, message: M, options?: AddOptions): Promise<AddResult>
  /** Adds all of them or none. */
  addMessages(key: string, messages: readonly M[], options?: WriteOptions): Promise<AddResult>
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
   * Sets a summary and cuts what it covers, in one append. `CONFLICT` unless everything up to `through` is the same
   * beginning of the view as at `version`, and if another summary came since. What happened behind `through` stays.
   * `INVALID_ARGUMENT` if nothing would be cut.
   */
  summarize(key: string, request: SummaryRequest, options?: WriteOptions): Promise<TruncateResult>
  /**
   * Several operations as one: one append, one result, and one refusal refuses all. The callback only collects, at once;
   * each operation sees the ones before it.
   */
  batch(key: string, collect: (session: SessionBatch<M>) => void, options?: WriteOptions): Promise<WriteResult>
  /** Puts another message in the place of one; what came after it stays. Its position is a new one: `positions[0]`. */
  replaceMessage(key: string, position: Position, message: M, options?: AddOptions): Promise<AddResult>
  /**
   * Runs one turn of a session at a time in this process, first come, first served: two quick messages of a user make
   * two turns in a row, not two interleaved loops. Writes outside of any turn are not held up. Turns do not nest: one
   * that waits for another of its own session waits without end, or until `wait` has passed (`LOCKED`).
   */
  withTurn<T>(key: string, work: (turn: SessionTurn<M>) => T | Promise<T>, options?: TurnOptions): Promise<T>
  /** What `listSessions` says of one session, by its head alone; `undefined` if there is none. */
  info(key: string): Promise<SessionInfo | undefined>
  /** The summary as it was at a version. */
  summaryAt(key: string, version: number): Promise<string>
  /** Replaces a message and everything after it: pop (with `[]`), regenerate, edit and resend. */
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
  /**
   * Records something that is not part of the conversation: usage, approvals, links. Notes of the kind `usage` are summed
   * per model, in `load`, `info` and `listSessions`: `data` is what the provider says of one call, with the name of the
   * model, as `{ model, usage }` or the answer itself. A form that is not known is recorded and not summed.
   */
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
