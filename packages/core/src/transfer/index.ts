export { copyStore } from '../copy/copy-store.ts'
export { exportSessions } from './export-sessions.ts'
export { importSessions } from './import-sessions.ts'

export type {
  TransferOptions,
  TransferProblem,
  TransferProgress,
  TransferReport,
  TransferStatus,
} from '../copy/transfer-report.ts'
export type { ExportOptions, ExportProgress } from './export-sessions.ts'
