import type { Intent, Planned } from './intent.ts'
import type { QueueContext } from './session-queue.ts'
import { SessionQueue } from './session-queue.ts'

/** Idle queues below this number stay: whoever was written to is often written to again, message by message. */
const MIN_SWEEP = 256

/** The queues of the sessions that are being written to, and of some that were. */
export class SessionQueues<M> {
  readonly #context: QueueContext<M>
  readonly #queues = new Map<string, SessionQueue<M>>()
  /** As soon as there are so many, the idle ones leave. Twice as many as stayed the last time, so that this is rare. */
  #sweepAt = MIN_SWEEP
  #writes = 0

  constructor(context: QueueContext<M>) {
    this.#context = context
  }

  /** How many writes have been asked for so far. */
  get writes(): number {
    return this.#writes
  }

  enqueue<R extends object>(session: string, intent: Intent<M, R>): Promise<Planned<R>> {
    this.#writes++
    return this.#queue(session).enqueue(intent)
  }

  isBusy(session: string): boolean {
    return this.#queues.get(session)?.isBusy === true
  }

  /** Resolves when nothing is waiting any more, in no queue. */
  async idle(): Promise<void> {
    for (;;) {
      this.#sweep()
      if (this.#queues.size === 0) return
      await Promise.all(Array.from(this.#queues.values(), (queue) => queue.idle))
    }
  }

  #queue(session: string): SessionQueue<M> {
    let queue = this.#queues.get(session)
    if (queue === undefined) {
      if (this.#queues.size >= this.#sweepAt) this.#sweep()
      queue = new SessionQueue(session, this.#context)
      this.#queues.set(session, queue)
    }
    return queue
  }

  #sweep(): void {
    for (const [session, queue] of this.#queues) if (!queue.isBusy) this.#queues.delete(session)
    this.#sweepAt = Math.max(MIN_SWEEP, 2 * this.#queues.size)
  }
}
