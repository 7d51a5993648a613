export { migrateDirectory } from './migrate-directory.ts'
export type {
  MigratedFile,
  MigrationOptions,
  MigrationProgress,
  MigrationReport,
  MigrationStatus,
} from './migration-report.ts'
