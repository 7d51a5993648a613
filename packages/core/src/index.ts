export { openStore } from './open-store.ts'
export { isStoreError, StoreError } from './errors/store-error.ts'
export { parseStoreString } from './config/parse-store-string.ts'
export { registerBackends } from './config/register-backends.ts'
export { registerMigration } from './config/register-migration.ts'
export { historyFor, pendingCalls, repairPairs } from '@turnlog/messages'
export { toolLinks } from '@turnlog/messages'
export { ViewFold } from './view/view-fold.ts'

export type { BackendRegistry, NoBackendOptions } from './backend/backend-registry.ts'
export type { Clock } from './runtime/clock.ts'
export type { Migration } from './config/register-migration.ts'
export type { BackendLoader, RegisterOptions } from './config/register-backends.ts'
export type {
  BackendChoice,
  BackendFactory,
  BackendSpecifier,
  StoreConfig,
  StoreSettings,
} from './config/store-config.ts'
export type { LimitRules, StoreLimits } from './limits/store-limits.ts'
export type { StoreWarning } from './runtime/store-warning.ts'
export type { Diagnostics, Measured } from './diagnostics/observe.ts'
export type { StoreErrorCode, StoreErrorDetails } from './errors/store-error.ts'
export type { Position, Run } from './events/run.ts'
export type {
  Compacted,
  CutRequest,
  EventEnvelope,
  HistoryReplaced,
  InertEvent,
  KnownEvent,
  MessageAdded,
  MessageStored,
  MetadataSet,
  Noted,
  RecentOp,
  SessionDeleted,
  SessionEvent,
  SummarySet,
  Truncated,
} from './events/session-event.ts'
export type { Json, JsonObject } from './json/json.ts'
export type { AutoCompactPolicy } from './retention/policies.ts'
export type { ExpirePolicy, ExpireRules } from './retention/policies.ts'
export type { RetentionPolicy, RetentionRules } from './retention/policies.ts'
export type { SweepResult } from './store/session-store.ts'
export type { SweepSchedule } from './retention/policies.ts'
export type { HistoryApi, HistoryFor, PairRepair, PendingCall, RepairedMessages } from '@turnlog/messages'
export type { ToolLinks, ToolLinksOf } from '@turnlog/messages'
export type { SummaryRequest } from './plan/summarize.ts'
export type { TurnOptions } from './queue/turn-queues.ts'
export type { ModelUsage, Usage } from './normalise/normalise-usage.ts'
export type { UsageSum, UsageSums } from './normalise/usage-sums.ts'
export type { HistorySize, PrefixChange } from './plan/view-change.ts'
export type { Pin, StartOn } from '@turnlog/messages'
export type {
  AddOptions,
  AddResult,
  CompactResult,
  CutOptions,
  DeleteOptions,
  EventRange,
  HistoryOptions,
  ImportedEvent,
  ImportOptions,
  ImportOutcome,
  LargeSession,
  ListOptions,
  Message,
  SessionBatch,
  SessionInfo,
  SessionStore,
  SessionTurn,
  SessionView,
  StoreStats,
  TruncateOptions,
  TruncateResult,
  VerifyProblem,
  VerifyReport,
  WatchOptions,
  WriteOptions,
  WriteResult,
} from './store/session-store.ts'
export type { ViewEffect } from './view/view-fold.ts'
export type { Backend } from './backend/backend.ts'
