import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'

import { errorOf } from './lane-writer.ts'
import { makeBackend } from './make-backend.ts'
import type { BackendName } from './make-backend.ts'

// A process that opens, writes and closes stores as it is told.
export interface OwnerOrder {
  readonly n: number
  readonly act: 'open' | 'open in a worker' | 'add' | 'count' | 'close'
  readonly backend: BackendName
  readonly path: string
}

export interface OwnerAnswer {
  readonly n: number
  /** A code of an error, or `ok`. */
  readonly code: string
  readonly message?: string
  readonly count?: number
}

const KEY = 'shared'
const stores = new Map<string, SessionStore>()

if (isMainThread) {
  process.on('message', (order: OwnerOrder) => void answer(order, (reply) => process.send?.(reply)))
  process.on('disconnect', () => process.exit())
  process.send?.({ n: -1, code: 'ok' } satisfies OwnerAnswer)
} else {
  const order = workerData as OwnerOrder
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void answer({ ...order, act: 'open' }, (reply) => parentPort?.postMessage(reply))
}

async function answer(order: OwnerOrder, reply: (answer: OwnerAnswer) => void): Promise<void> {
  try {
    const count = await obey(order)
    reply({ n: order.n, code: 'ok', ...(count === undefined ? {} : { count }) })
  } catch (error) {
    reply({ n: order.n, ...errorOf(error) })
  }
}

async function obey(order: OwnerOrder): Promise<number | undefined> {
  const { act, path } = order
  if (act === 'open') {
    stores.set(path, await openStore({ backend: makeBackend(order), onWarning: () => undefined }))
    return undefined
  }
  if (act === 'open in a worker') return openInWorker(order)
  const store = stores.get(path)
  if (store === undefined) throw new Error('The harness asks for a store that is not open here.')
  if (act === 'add') return (await store.addMessage(KEY, 'user', 'one more')).version
  if (act === 'count') return (await store.getHistory(KEY)).length
  stores.delete(path)
  await store.close()
  return undefined
}

/** @throws what the worker was told */
async function openInWorker(order: OwnerOrder): Promise<undefined> {
  const worker = new Worker(new URL(import.meta.url), { workerData: order })
  const reply = await new Promise<OwnerAnswer>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  await worker.terminate()
  if (reply.code === 'ok') return undefined
  throw Object.assign(new Error(reply.message), { code: reply.code, [Symbol.for('turnlog.StoreError')]: true })
}
