import type { OwnerAnswer, OwnerOrder } from '../child/owner-main.ts'
import type { Child, StartOptions } from './start-child.ts'
import { startChild } from './start-child.ts'

type Order = Omit<OwnerOrder, 'n'>

/** A process that owns stores, or tries to. */
export class Owner {
  readonly #child: Child
  readonly #waiting = new Map<number, (answer: OwnerAnswer) => void>()
  #orders = 0
  #isOver = false

  private constructor(child: Child) {
    this.#child = child
    child.process.on('message', (answer: OwnerAnswer) => {
      this.#waiting.get(answer.n)?.(answer)
      this.#waiting.delete(answer.n)
    })
    void this.#awaitEnd()
  }

  static async start(options: StartOptions = {}): Promise<Owner> {
    const owner = new Owner(startChild('owner', {}, { ...options, channel: true }))
    await new Promise<OwnerAnswer>((resolve) => owner.#waiting.set(-1, resolve))
    return owner
  }

  order(order: Order): Promise<OwnerAnswer> {
    const n = this.#orders++
    if (this.#isOver) return Promise.resolve({ n, code: 'dead', message: 'the process has ended' })
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve)
      this.#child.process.send({ n, ...order } satisfies OwnerOrder, () => undefined)
    })
  }

  async #awaitEnd(): Promise<void> {
    const { signal, code, errorText } = await this.#child.ended
    this.#isOver = true
    const message = `the process ended with ${signal ?? code}: ${errorText}`
    for (const [n, resolve] of this.#waiting) resolve({ n, code: 'dead', message })
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.process.kill(signal)
  }

  /** Ends it hard, also when it was stopped. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.#child.ended
  }
}
