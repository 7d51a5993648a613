import type { WriterTask } from '../child/writer-task.ts'
import { WriterServer } from './writer-server.ts'

/** Checks by one process before the next takes over, so that what one store leaves behind in it cannot pile up. */
const RUNS = 200

/** Looks at stores after their writers have ended, in a process that stays. Needs `end`. */
export class Checker {
  #server: WriterServer | undefined
  #runs = 0
  readonly #old = new Set<Promise<void>>()

  /** @returns what went wrong with the process, if anything */
  async run(task: WriterTask): Promise<string | undefined> {
    if (this.#runs === RUNS || this.#server?.hasEnded === true) await this.#replace()
    this.#server ??= new WriterServer()
    this.#runs++
    const run = this.#server.run([task])
    const settled = run.then(() => undefined)
    this.#old.add(settled)
    const problem = await run
    this.#old.delete(settled)
    return problem
  }

  async end(): Promise<void> {
    await this.#replace()
  }

  async #replace(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    this.#runs = 0
    await Promise.all(this.#old) // of those that still run in it
    await server?.end()
  }
}
