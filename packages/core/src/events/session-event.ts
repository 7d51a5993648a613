import type { ModelUsage } from '../normalise/normalise-usage.ts'
import type { UsageSums } from '../normalise/usage-sums.ts'
import type { JsonObject } from '../json/json.ts'
import type { Position, Run } from './run.ts'

/** What every event has. */
export interface EventEnvelope {
  readonly seq: number
  readonly id: string
  readonly v: number
  readonly at: number
  /** The caller's operation id. */
  readonly op?: string
  /** Digest of what the caller asked for under that id, so that a different request with it is recognised. */
  readonly opHash?: string
}

export interface MessageAdded<M> extends EventEnvelope {
  readonly type: 'MessageAdded'
  readonly message: M
  /** More of it is to come: it is being streamed, or was when the process died. */
  readonly unfinished?: true
}

/** Recorded without effect; a view event of the same append refers to it. */
export interface MessageStored<M> extends EventEnvelope {
  readonly type: 'MessageStored'
  readonly message: M
  /** Where the message was before it was stored anew; several, oldest first, if that happened more than once. */
  readonly of?: Position | readonly Position[]
  readonly originalAt?: number
  readonly unfinished?: true
}

/** What was asked for, beside what came of it. */
export type CutRequest =
  | { readonly keepLast: number; readonly exact?: true }
  | { readonly before: Position; readonly exact?: true }
  | { readonly through: Position; readonly version: number }
  | { readonly maxMessages: number }
  | { readonly maxSessionBytes: number }
  | { readonly maxTokens: number }

export interface Truncated extends EventEnvelope {
  readonly type: 'Truncated'
  readonly view: readonly Run[]
  readonly asked: CutRequest
  /** The cut moved back, so as not to split a tool call from its results. */
  readonly moved?: true
  /** Short runs were stored anew with this event. */
  readonly rebased?: true
}

export interface HistoryReplaced extends EventEnvelope {
  readonly type: 'HistoryReplaced'
  readonly view: readonly Run[]
  readonly rebased?: true
}

export interface SummarySet extends EventEnvelope {
  readonly type: 'SummarySet'
  readonly summary: string
}

export interface MetadataSet extends EventEnvelope {
  readonly type: 'MetadataSet'
  /** The whole, after merging. */
  readonly metadata: JsonObject
}

export interface Noted extends EventEnvelope {
  readonly type: 'Noted'
  readonly kind: string
  readonly data: unknown
  /** What a note of the kind `usage` says, in the one form that is summed. */
  readonly usage?: ModelUsage
}

/**
 * An operation that is remembered for repeats: id digest, request digest, version, then the counts of a cut, then where
 * the messages are that it added (see `addedPositions`); what it has none of is left out.
 */
export type RecentOp =
  | readonly [id: string, request: string, version: number, added?: string]
  | readonly [id: string, request: string, version: number, kept: number, removed: number, moved: 0 | 1, added?: string]

/** Restates what the removed events still contributed. */
export interface Compacted extends EventEnvelope {
  readonly type: 'Compacted'
  readonly summary: string
  readonly metadata: JsonObject
  readonly createdAt: number
  readonly updatedAt: number
  /** Seq of the last event that changed summary or view on somebody's request. */
  readonly cutSeq: number
  readonly ops: readonly RecentOp[]
  /** What all notes of usage came to, if there were any. */
  readonly usage?: UsageSums
  /** About what all messages take that stay in the log, in the view or not. */
  readonly recordedBytes: number
  readonly removedEvents: number
  /** The earliest version that can still be looked at. @default this event */
  readonly minVersion?: number
  /** Nothing is removed yet: from here on nothing before this seq is needed, and it may go when nobody looks back. */
  readonly start?: number
  readonly reason?: string
}

export interface SessionDeleted extends EventEnvelope {
  readonly type: 'SessionDeleted'
  readonly reason?: string
  readonly removedEvents: number
  readonly removedMessages: number
}

export type KnownEvent<M> =
  | MessageAdded<M>
  | MessageStored<M>
  | Truncated
  | HistoryReplaced
  | SummarySet
  | MetadataSet
  | Noted
  | Compacted
  | SessionDeleted

/** Written by a newer version that promises that it may be skipped. Recognise it by `'inert' in event`. */
export interface InertEvent extends EventEnvelope {
  /**
   * Really any text but those of {@link EventType}. With `string` here, asking for one of those would not tell the
   * compiler which event it is: `event.type === 'MessageAdded' && event.message` would not compile.
   */
  readonly type: '(a type that this version does not know)'
  readonly inert: true
}

export type SessionEvent<M> = KnownEvent<M> | InertEvent

export type EventType = KnownEvent<unknown>['type']
