import { parentPort, workerData } from 'node:worker_threads'

import { openStore } from '../open/open-store.ts'
import { LocalEngine } from './engine.ts'
import type { Engine } from './engine-calls.ts'
import type { Answer, Call, WorkerOptions } from './messages.ts'
import { toPlainError } from './plain-error.ts'

const options = workerData as WorkerOptions

/** Opens the store and answers calls until `close`, each when it is done: a write may wait while reads go on. */
async function main(): Promise<void> {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  const say = (answer: Answer): void => parentPort?.postMessage(answer)
  let engine: Engine
  try {
    const store = await openStore(options)
    engine = new LocalEngine(store, {
      pollMs: options.pollMs,
      readOnly: options.readOnly,
      onChange: (session) => say({ kind: 'changed', session }),
    })
    say({ kind: 'opened', report: store.report })
  } catch (error) {
    say({ kind: 'refused', error: toPlainError(error) })
    return
  }
  parentPort?.on('message', (call: Call) => void answer(engine, call, say))
}

async function answer(engine: Engine, { id, method, args }: Call, say: (answer: Answer) => void): Promise<void> {
  try {
    const result = await (engine[method] as (...args: readonly unknown[]) => unknown).call(engine, ...args)
    if (method === 'append') {
      const outcomes = (result as readonly (Error | undefined)[]).map((error) => error && toPlainError(error))
      say({ kind: 'appended', id, outcomes })
    } else say({ kind: 'result', id, result })
  } catch (error) {
    say({ kind: 'error', id, error: toPlainError(error) })
  }
  if (method === 'close') parentPort?.close()
}

await main()
