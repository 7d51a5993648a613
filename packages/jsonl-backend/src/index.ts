export { backend, jsonlBackend } from './jsonl-backend.ts'
export type { JsonlOptions } from './jsonl-options.ts'
