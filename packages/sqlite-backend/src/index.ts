export { backend, sqliteBackend } from './sqlite-backend.ts'
export type { SqliteOptions } from './sqlite-options.ts'
