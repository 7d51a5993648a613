import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

import { StoreError } from '@turnlog/core/backend'
import type { OpenReport } from '@turnlog/core/backend'

import type { Engine } from './engine-calls.ts'
import type { Answer, Call, WorkerOptions } from './messages.ts'
import { fromPlainError } from './plain-error.ts'

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

const METHODS: Readonly<Record<keyof Engine, true>> = {
  append: true,
  head: true,
  read: true,
  readNext: true,
  endRead: true,
  list: true,
  erase: true,
  watch: true,
  unwatch: true,
  verifyPages: true,
  verifySession: true,
  findOrphans: true,
  reclaim: true,
  sizes: true,
  close: true,
}

/** Opens the store in a thread of its own. The thread keeps the process alive only while it is asked something. */
export async function startWorker(
  options: WorkerOptions,
  onChange: (session: string) => void,
): Promise<{ readonly engine: Engine; readonly report: OpenReport }> {
  const worker = new Worker(workerFile(), { workerData: options, execArgv: [] })
  const thread = new WorkerThread(worker, onChange)
  const exit = once(worker, 'exit')
  try {
    const report = await thread.opened
    const engine = Object.fromEntries(
      Object.keys(METHODS).map((method) => [method, thread.call.bind(thread, method as keyof Engine)]),
    ) as unknown as Engine
    const close = async (): Promise<void> => {
      try {
        await thread.call('close')
      } finally {
        worker.ref()
        await exit
      }
    }
    return { engine: { ...engine, close }, report }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

/** When this package runs from its sources, which a thread cannot, the build beside them has the file. */
function workerFile(): string {
  const file = fileURLToPath(new URL('./worker-main.js', import.meta.url))
  return import.meta.url.endsWith('.ts') ? file.replace(/([\\/])src([\\/]worker[\\/][^\\/]+)$/, '$1dist$2') : file
}

class WorkerThread {
  readonly opened: Promise<OpenReport>
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastCall = 0
  #failure: StoreError | undefined

  constructor(worker: Worker, onChange: (session: string) => void) {
    this.#worker = worker
    this.opened = new Promise((resolve, reject) => {
      worker.on('message', (answer: Answer) => {
        if (answer.kind === 'opened') {
          resolve(answer.report)
          worker.unref()
        } else if (answer.kind === 'refused') reject(fromPlainError(answer.error))
        else if (answer.kind === 'changed') onChange(answer.session)
        else this.#settle(answer)
      })
      worker.on('error', (error) => reject(this.#fail(error)))
      worker.on('exit', () => reject(this.#fail(undefined)))
    })
  }

  call(method: keyof Engine, ...args: readonly unknown[]): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure)
        return
      }
      const id = ++this.#lastCall
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(id, { resolve, reject })
      // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage({ id, method, args } satisfies Call)
    })
  }

  #settle(answer: Exclude<Answer, { kind: 'opened' | 'refused' | 'changed' }>): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (answer.kind === 'error') waiting?.reject(fromPlainError(answer.error))
    else if (answer.kind === 'result') waiting?.resolve(answer.result as never)
    else waiting?.resolve(answer.outcomes.map((error) => error && fromPlainError(error)) as never)
  }

  #fail(cause: unknown): StoreError {
    this.#failure ??= new StoreError(
      'IO',
      'The thread of the SQLite backend has ended. Close the store and open it again.',
      { cause },
    )
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
    return this.#failure
  }
}
