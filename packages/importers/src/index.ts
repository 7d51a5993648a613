export { migrateDirectory } from './legacy/migrate-directory.ts'
export { migrateOnOpen } from './legacy/migrate-on-open.ts'
export { messagesOfLines } from './messages-of-lines.ts'

export type {
  MigratedFile,
  MigrationOptions,
  MigrationProgress,
  MigrationReport,
  MigrationStatus,
} from './legacy/migration-report.ts'
export type { LinesRead } from './messages-of-lines.ts'
