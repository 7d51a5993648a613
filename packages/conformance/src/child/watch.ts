import { isStoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'

import { readAll } from '../probe/collect.ts'

/** Reads all sessions again and again, to the end each time, until it is to rest. Says how often it did. */
export async function watch(backend: Backend, sessions: readonly string[], isResting: () => boolean): Promise<number> {
  let reads = 0
  while (!isResting()) {
    for (const session of sessions) {
      await readAll(backend, session).catch((error: unknown) => {
        if (!isStoreError(error)) throw error // a read that meets an erase may end so
      })
      reads++
    }
    await new Promise(setImmediate)
  }
  return reads
}
