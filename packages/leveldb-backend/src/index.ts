export { backend, leveldbBackend } from './leveldb-backend.ts'
export type { LevelDbOptions } from './leveldb-options.ts'
