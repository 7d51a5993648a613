import type { MaintenanceOptions } from '@turnlog/core/backend'
import type { OpenDirectory } from '../open/open-directory.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { eachSession } from './each-session.ts'

/** Rewrites every file that has trimmed events. */
export async function reclaim(
  directory: OpenDirectory,
  sessions: Sessions,
  options: MaintenanceOptions = {},
): Promise<{ readonly bytesFreed: number }> {
  let bytesFreed = 0
  await eachSession(directory, options, async ({ session }) => {
    bytesFreed += await sessions.writer(session).reclaim()
  })
  return { bytesFreed }
}
