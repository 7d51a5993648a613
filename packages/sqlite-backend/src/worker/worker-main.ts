import { parentPort } from 'node:worker_threads'

import type { OpenReport } from '@turnlog/core/backend'

import { openStore } from '../open/open-store.ts'
import { LocalEngine } from './engine.ts'
import type { Engine } from './engine-calls.ts'
import type { Answer, Call, WorkerOptions } from './messages.ts'
import { toPlainError } from './plain-error.ts'

/** One store at a time. */
let engine: Engine | undefined

parentPort?.on('message', (call: Call) => void answer(call))

/** Each call is answered when it is done: a write may wait while reads go on. */
async function answer({ id, method, args }: Call): Promise<void> {
  try {
    if (method === 'open') {
      say({ kind: 'result', id, result: await open(args[0] as WorkerOptions) })
      return
    }
    if (method === 'end') {
      parentPort?.close()
      return
    }
    if (engine === undefined) throw new Error('There is no store in this thread.')
    const result = await (engine[method] as (...args: readonly unknown[]) => unknown).call(engine, ...args)
    if (method === 'append') {
      const outcomes = (result as readonly (Error | undefined)[]).map((error) => error && toPlainError(error))
      say({ kind: 'appended', id, outcomes })
    } else say({ kind: 'result', id, result })
  } catch (error) {
    say({ kind: 'error', id, error: toPlainError(error) })
  }
}

async function open(options: WorkerOptions): Promise<OpenReport> {
  const { pollMs, readOnly } = options
  const store = await openStore(options)
  engine = new LocalEngine(store, { pollMs, readOnly, onChange: (session) => say({ kind: 'changed', session }) })
  return store.report
}

function say(answer: Answer): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer)
}
