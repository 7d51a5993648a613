import type { Intent, Planned } from './intent.ts'
import type { QueueContext } from './session-queue.ts'
import { SessionQueue } from './session-queue.ts'

/** The queues of the sessions that are being written to, and of no others. */
export class SessionQueues<M> {
  readonly #context: QueueContext<M>
  readonly #queues = new Map<string, SessionQueue<M>>()
  #writes = 0

  constructor(context: QueueContext<M>) {
    this.#context = context
  }

  /** How many writes have been asked for so far. */
  get writes(): number {
    return this.#writes
  }

  enqueue<R extends object>(session: string, intent: Intent<M, R>): Promise<Planned<R>> {
    this.#writes += 1
    return this.#queue(session).enqueue(intent)
  }

  /** Runs something that must not overlap with writes to the session. */
  exclusively<T>(session: string, work: () => Promise<T>): Promise<T> {
    return this.#queue(session).exclusively(work)
  }

  isBusy(session: string): boolean {
    return this.#queues.has(session)
  }

  /** Resolves when nothing is waiting any more, in no queue. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all(Array.from(this.#queues.values(), (queue) => queue.idle))
  }

  #queue(session: string): SessionQueue<M> {
    let queue = this.#queues.get(session)
    if (queue === undefined) {
      queue = new SessionQueue(session, this.#context, () => this.#queues.delete(session))
      this.#queues.set(session, queue)
    }
    return queue
  }
}
