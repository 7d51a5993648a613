import { setTimeout } from 'node:timers/promises'

import { isBusy } from './failure-of.ts'

const MIN_WAIT_MS = 0.5
const MAX_WAIT_MS = 4

/**
 * Tries again until nobody else holds the lock. SQLite could wait itself, but that holds up the thread, and its waits
 * become longer and longer, so that of several writers one gets nearly everything.
 */
export async function waitWhileBusy<T>(work: () => T, waitMs: number, onBusy?: () => void): Promise<T> {
  const deadline = performance.now() + waitMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    onBusy?.()
    await setTimeout(MIN_WAIT_MS + Math.random() * (MAX_WAIT_MS - MIN_WAIT_MS))
  }
}
