import type { ControlTask } from '../child/run-control.ts'
import type { WriterAnswer, WriterOrder } from '../child/writer-main.ts'
import type { WriterTask } from '../child/writer-task.ts'
import type { Child } from './start-child.ts'
import { startChild } from './start-child.ts'

/**
 * A writer process that is already running when it gets its task: what it costs to start is spent while others wait for
 * a disk, or once for many tasks.
 */
export class WriterServer {
  readonly child: Child
  #orders = 0

  get hasEnded(): boolean {
    const { exitCode, signalCode } = this.child.process
    return exitCode !== null || signalCode !== null
  }

  constructor() {
    this.child = startChild('writer', [], { channel: true })
  }

  /**
   * Runs tasks in the process, side by side.
   * @returns what went wrong with the process, if anything; also when it is killed meanwhile
   */
  async run(tasks: readonly WriterTask[], control?: ControlTask): Promise<string | undefined> {
    const n = this.#orders++
    const { process: child, ended } = this.child
    const answered = new Promise<string | undefined>((resolve) => {
      const onMessage = (answer: WriterAnswer): void => {
        if (answer.n !== n) return
        child.off('message', onMessage)
        resolve(answer.error)
      }
      child.on('message', onMessage)
    })
    const order: WriterOrder = { n, tasks, ...(control === undefined ? {} : { control }) }
    child.send(order, () => undefined)
    return Promise.race([
      answered,
      ended.then(({ code, signal, errorText }) => `the writer ended with ${signal ?? code}: ${errorText}`),
    ])
  }

  async end(): Promise<void> {
    this.child.process.kill('SIGKILL')
    await this.child.ended
  }
}
