import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { builtModule } from './built-module.ts'

/** Appends for which it competes with others. */
export interface WorkerTask {
  readonly session: string
  readonly writer: string
  readonly count: number
}

/** `opened`, after the work that it was given, or the code with which a worker thread of this process was refused. */
export async function openInWorker(module: string, directory: string, work?: WorkerTask): Promise<string> {
  const workerData = { module, directory, ...(work === undefined ? {} : { work }) }
  const worker = new Worker(builtModule('worker-main'), { workerData, execArgv: [] })
  try {
    const [outcome] = (await once(worker, 'message')) as [string]
    return outcome
  } finally {
    await worker.terminate()
  }
}
