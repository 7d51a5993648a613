import type { MaintenanceOptions } from '@turnlog/core/backend'
import type { Listed } from '../session-index/listed.ts'
import type { OpenDirectory } from '../open/open-directory.ts'

/** Does the work for each session that is asked for, one after the other; gives how many there are. */
export async function eachSession(
  { sessionIndex }: OpenDirectory,
  { session: only, signal, onProgress }: MaintenanceOptions,
  work: (listed: Listed) => Promise<void>,
): Promise<number> {
  const all = await sessionIndex.list()
  const wanted = only === undefined ? all : all.filter(({ session }) => session === only)
  for (const [index, listed] of wanted.entries()) {
    signal?.throwIfAborted()
    await work(listed)
    onProgress?.(index + 1, wanted.length)
  }
  return wanted.length
}
