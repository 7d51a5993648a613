export { copyStore } from './copy-store.ts'
export { exportSessions } from './export-sessions.ts'
export { importSessions } from './import-sessions.ts'

export type {
  TransferOptions,
  TransferProblem,
  TransferProgress,
  TransferReport,
  TransferStatus,
} from './transfer-report.ts'
export type { ExportOptions, ExportProgress } from './export-sessions.ts'
