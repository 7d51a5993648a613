import { registerDefaultBackends } from './register-default-backends.ts'

registerDefaultBackends()

export {
  isStoreError,
  openStore,
  parseStoreString,
  registerBackends,
  registerMigration,
  repairPairs,
  StoreError,
  toolLinks,
  ViewFold,
} from '@turnlog/core'
export { memoryBackend } from '@turnlog/core/memory'
export { migrateDirectory } from '@turnlog/importers'
export { createSessionManager } from '@turnlog/adapters/session-manager'
export { copyStore, exportSessions, importSessions } from '@turnlog/transfer'
export { jsonlBackend } from '@turnlog/jsonl-backend'
export { leveldbBackend } from '@turnlog/leveldb-backend'

export type {
  AutoCompactPolicy,
  Backend,
  BackendChoice,
  BackendFactory,
  BackendLoader,
  BackendRegistry,
  BackendSpecifier,
  Clock,
  Compacted,
  CompactResult,
  CutRequest,
  DeleteOptions,
  Diagnostics,
  EventEnvelope,
  EventRange,
  ExpirePolicy,
  ExpireRules,
  HistoryOptions,
  HistoryReplaced,
  ImportedEvent,
  ImportOptions,
  ImportOutcome,
  InertEvent,
  Json,
  JsonObject,
  KnownEvent,
  LargeSession,
  LimitRules,
  ListOptions,
  Message,
  MessageAdded,
  Measured,
  MessageStored,
  MetadataSet,
  Migration,
  NoBackendOptions,
  Noted,
  PairRepair,
  Position,
  RecentOp,
  RepairedMessages,
  RetentionPolicy,
  RetentionRules,
  Run,
  SessionDeleted,
  SessionEvent,
  SessionInfo,
  SessionStore,
  SessionView,
  StoreConfig,
  StoreErrorCode,
  StoreErrorDetails,
  StoreLimits,
  StoreSettings,
  StoreStats,
  StoreWarning,
  SummaryRequest,
  SummarySet,
  SweepResult,
  SweepSchedule,
  ToolLinks,
  ToolLinksOf,
  Truncated,
  TruncateOptions,
  TruncateResult,
  VerifyProblem,
  VerifyReport,
  ViewEffect,
  WatchOptions,
  WriteOptions,
  WriteResult,
} from '@turnlog/core'
export type { JsonlOptions } from '@turnlog/jsonl-backend'
export type { LevelDbOptions } from '@turnlog/leveldb-backend'
export type {
  MigratedFile,
  MigrationOptions,
  MigrationProgress,
  MigrationReport,
  MigrationStatus,
} from '@turnlog/importers'
export type { FailedOperation, SessionManager, SessionManagerOptions } from '@turnlog/adapters/session-manager'
export type {
  ExportOptions,
  ExportProgress,
  TransferOptions,
  TransferProblem,
  TransferProgress,
  TransferReport,
  TransferStatus,
} from '@turnlog/transfer'
