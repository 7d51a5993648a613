export { backend, sqliteBackend } from './sqlite-backend.ts'
export type { SqliteOptions } from './options/sqlite-options.ts'
