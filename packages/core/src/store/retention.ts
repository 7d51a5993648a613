import type { ToolLinksOf } from '@turnlog/messages'
import type { SessionStates } from '../cache/session-states.ts'
import type { SessionLimits } from '../limits/session-limits.ts'
import type { Draft } from '../plan/draft.ts'
import type { SummaryOfLife } from '../plan/summarize.ts'
import type { Intent } from '../queue/intent.ts'
import type { SessionQueues } from '../queue/session-queues.ts'
import type { EventSource } from '../view/read-events.ts'
import type { SessionState } from '../view/session-state.ts'
import type { CompactResult, SweepResult, TruncateResult } from './session-store.ts'

/** What a store lets its retention do. */
export interface RetentionAccess<M extends object> {
  readonly source: EventSource
  readonly states: SessionStates<M>
  readonly queues: SessionQueues<M>
  readonly toolLinks: ToolLinksOf | undefined
  readonly readOnly: boolean
  limits(key: string): SessionLimits
  /** Plans and writes, as an operation of the store. */
  write(key: string, plan: (draft: Draft<M>) => void, needs?: Pick<Intent<M, object>, 'afterwards'>): Promise<unknown>
  summarize(key: string, request: SummaryOfLife): Promise<TruncateResult>
  deleteSession(key: string, options: { expectedVersion: number; reason: string }): Promise<boolean>
}

/** The hook of a store for what removes sessions and events. `openStore` gives it; the store tells it of every state. */
export interface Retention<M extends object> {
  /** A write has resulted in this state. */
  settled(key: string, state: SessionState<M>): void
  compact(key: string): Promise<CompactResult>
  eraseDeleted(key: string): Promise<void>
  expire(options: { readonly idleForMs: number; readonly prefix?: string }): Promise<{ sessions: number }>
  sweep(): Promise<SweepResult>
  stop(): Promise<void>
}
