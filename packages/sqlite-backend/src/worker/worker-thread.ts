import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

import { StoreError } from '@turnlog/core/backend'

import type { Answer, Call, WorkerCalls } from './messages.ts'
import { fromPlainError } from './plain-error.ts'

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** A thread and what it is asked. It keeps the process alive only while it is asked something. */
export class WorkerThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastCall = 0
  #failure: StoreError | undefined
  /** Told of changes of watched sessions. */
  onChange: (session: string) => void = () => undefined

  constructor() {
    this.#worker = new Worker(workerFile(), { execArgv: [] })
    this.#worker.on('message', (answer: Answer) => {
      if (answer.kind === 'changed') this.onChange(answer.session)
      else this.#settle(answer)
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(undefined))
    this.#worker.unref()
  }

  call(method: keyof WorkerCalls, ...args: readonly unknown[]): Promise<never> {
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

  end(): void {
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage({ id: 0, method: 'end', args: [] } satisfies Call)
  }

  #settle(answer: Exclude<Answer, { kind: 'changed' }>): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (answer.kind === 'error') waiting?.reject(fromPlainError(answer.error))
    else if (answer.kind === 'result') waiting?.resolve(answer.result as never)
    else waiting?.resolve(answer.outcomes.map((error) => error && fromPlainError(error)) as never)
  }

  #fail(cause: unknown): void {
    const message = 'The thread of the SQLite backend has ended. Close the store and open it again.'
    this.#failure ??= new StoreError('IO', message, { cause })
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
  }
}

/** When this package runs from its sources, which a thread cannot, the build beside them has the file. */
function workerFile(): string {
  const file = fileURLToPath(new URL('./worker-main.js', import.meta.url))
  return import.meta.url.endsWith('.ts') ? file.replace(/([\\/])src([\\/]worker[\\/][^\\/]+)$/, '$1dist$2') : file
}
