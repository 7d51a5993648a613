import { sqliteTarget } from './target.mjs'

/** Without a thread: what is asked is done at once. */
export const target = sqliteTarget('sqlite inline', import.meta.url, () => ({ worker: false }))
