export { createSessionManager } from './create-session-manager.ts'
export type { FailedOperation, SessionManager, SessionManagerOptions } from './session-manager.ts'
