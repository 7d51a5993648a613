import type { Backend } from '../backend/backend.ts'
import { readProjection } from '../view/projection.ts'
import type { StoreStats } from './session-store.ts'

/** Counts over the heads of all sessions; no log is read. */
export async function storeStats(backend: Backend): Promise<StoreStats> {
  const sum = { sessions: 0, deletedSessions: 0, events: 0, messages: 0, liveBytes: 0, bytes: 0 }
  let oldestUpdate = Infinity
  let newestUpdate = -Infinity
  for await (const batch of backend.list()) {
    for (const { first, last, bytes, projection } of batch) {
      const derived = readProjection(projection)
      sum.events += last - first + 1
      sum.bytes += bytes
      if (derived?.deleted === true) {
        sum.deletedSessions += 1
        continue
      }
      sum.sessions += 1
      if (derived === undefined) continue
      sum.messages += derived.messages
      sum.liveBytes += derived.bytes
      oldestUpdate = Math.min(oldestUpdate, derived.updatedAt)
      newestUpdate = Math.max(newestUpdate, derived.updatedAt)
    }
  }
  const diskBytes = (await backend.maintenance?.sizes())?.bytes
  return {
    ...sum,
    ...(diskBytes === undefined ? undefined : { diskBytes }),
    ...(newestUpdate === -Infinity ? undefined : { oldestUpdate, newestUpdate }),
  }
}
