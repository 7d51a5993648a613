import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'

import { isStoreError } from '@turnlog/core/backend'

import { compete } from './compete.ts'
import { loadTarget } from './load-target.ts'
import type { WorkerTask } from './open-in-worker.ts'

// Tries to open the store in a worker thread of the process that may have it open, writes to it if it is given work,
// and says what came of it.
const { module, directory, work } = workerData as { module: string; directory: string; work?: WorkerTask }
const target = await loadTarget(module)
const { backend } = await target.create({ directory, seed: 1 })
let outcome: string
try {
  await backend.open()
  outcome = 'opened'
  if (work !== undefined) await compete(backend, work.session, work.writer, work.count)
  await backend.close()
} catch (error) {
  outcome = isStoreError(error) ? error.code : inspect(error)
}
// eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(outcome)
