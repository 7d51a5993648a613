import type { Intent, Planned } from './intent.ts'
import type { QueueContext } from './session-queue.ts'
import { SessionQueue } from './session-queue.ts'

/** The queues of the sessions that are being written to, and of no others. */
export class SessionQueues<M> {
  readonly #context: QueueContext<M>
  readonly #queues = new Map<string, SessionQueue<M>>()

  constructor(context: QueueContext<M>) {
    this.#context = context
  }

  enqueue<R extends object>(session: string, intent: Intent<M, R>): Promise<Planned<R>> {
    return this.#queue(session).enqueue(intent)
  }

  /** Runs something that must not overlap with writes to the session. */
  exclusively<T>(session: string, work: () => Promise<T>): Promise<T> {
    return this.#queue(session).exclusively(work)
  }

  /** Whether anything is being written, to this session or at all. */
  isBusy(session?: string): boolean {
    return session === undefined ? this.#queues.size > 0 : this.#queues.has(session)
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
