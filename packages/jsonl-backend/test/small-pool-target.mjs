import { jsonlTarget } from './target.mjs'

/** Two files open at a time, so that files are closed and opened again while others are in use. */
export const target = jsonlTarget('jsonl with two open files', import.meta.url, { maxOpenFiles: 2 })
