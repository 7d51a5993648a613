export { backend, jsonlBackend } from './jsonl-backend.ts'
export type { JsonlOptions } from './options/jsonl-options.ts'
