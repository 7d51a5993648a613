import type { Backend, SessionHead } from '../backend/backend.ts'
import { deadBytes } from '../view/dead-bytes.ts'
import type { Projection } from '../view/projection.ts'
import { readProjection } from '../view/read-projection.ts'
import type { LargeSession, StoreStats } from './session-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const GROWTH_DAYS = 7
const LARGEST = 10

/** Counts over the heads of all sessions; no log is read. */
export async function storeStats(backend: Backend, now: number): Promise<StoreStats> {
  const sum = { sessions: 0, deletedSessions: 0, events: 0, messages: 0, liveBytes: 0, deadBytes: 0, bytes: 0 }
  const largest: LargeSession[] = []
  let growthBytes = 0
  let oldestUpdate = Infinity
  let newestUpdate = -Infinity
  for await (const batch of backend.list()) {
    for (const head of batch) {
      const { session, first, last, bytes, projection } = head
      const derived = readProjection(projection)
      sum.events += last - first + 1
      sum.bytes += bytes
      if (derived?.deleted === true) {
        sum.deletedSessions++
        continue
      }
      sum.sessions++
      if (derived === undefined) continue
      sum.messages += derived.messages
      sum.liveBytes += derived.bytes
      sum.deadBytes += deadBytes(head, derived)
      growthBytes += recentGrowth(head, derived, now)
      keepLargest(largest, { key: session, bytes, messages: derived.messages })
      oldestUpdate = Math.min(oldestUpdate, derived.updatedAt)
      newestUpdate = Math.max(newestUpdate, derived.updatedAt)
    }
  }
  const diskBytes = (await backend.maintenance?.sizes())?.bytes
  return {
    ...sum,
    largest,
    growthBytesPerDay: Math.round(growthBytes / GROWTH_DAYS),
    ...(diskBytes === undefined ? undefined : { diskBytes }),
    ...(newestUpdate === -Infinity ? undefined : { oldestUpdate, newestUpdate }),
  }
}

function recentGrowth({ bytes }: SessionHead, { createdAt, updatedAt }: Projection, now: number): number {
  const since = now - GROWTH_DAYS * DAY_MS
  if (updatedAt <= since) return 0
  return createdAt >= since ? bytes : (bytes * (updatedAt - since)) / (updatedAt - createdAt)
}

function keepLargest(largest: LargeSession[], session: LargeSession): void {
  if (largest.length === LARGEST && session.bytes <= (largest.at(-1)?.bytes ?? 0)) return
  const place = largest.findIndex(({ bytes }) => bytes < session.bytes)
  largest.splice(place < 0 ? largest.length : place, 0, session)
  if (largest.length > LARGEST) largest.pop()
}
