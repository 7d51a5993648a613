export { backend, leveldbBackend } from './leveldb-backend.ts'
export type { LevelDbOptions } from './options/leveldb-options.ts'
