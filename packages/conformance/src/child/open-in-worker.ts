import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { builtModule } from './built-module.ts'

/** `opened`, or the code with which a worker thread of this process was refused. */
export async function openInWorker(module: string, directory: string): Promise<string> {
  const worker = new Worker(builtModule('worker-main'), { workerData: { module, directory }, execArgv: [] })
  try {
    const [outcome] = (await once(worker, 'message')) as [string]
    return outcome
  } finally {
    await worker.terminate()
  }
}
