import { parentPort, workerData } from 'node:worker_threads'
import { isStoreError } from '@turnlog/core/backend'
import { loadTarget } from './load-target.ts'

// Tries to open the store in a worker thread of the process that may have it open, and says what came of it.
const { module, directory } = workerData as { module: string; directory: string }
const target = await loadTarget(module)
const { backend } = await target.create({ directory, seed: 1 })
let outcome: string
try {
  await backend.open()
  outcome = 'opened'
  await backend.close()
} catch (error) {
  outcome = isStoreError(error) ? error.code : String(error)
}
// eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(outcome)
