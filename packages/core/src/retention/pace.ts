import type { SessionQueues } from '../queue/session-queues.ts'

/**
 * While others write, work pauses for so many times as long as it took: then about one write in a hundred meets it.
 * One that does waits for one more write before its own, so after so many milliseconds it is enough.
 */
const PAUSE_PER_WORK = 100
const MAX_PAUSE_MS = 100
/** The same for work that keeps the disk busy, and writers waiting for far longer than for a write. */
const PAUSE_PER_HEAVY_WORK = 200
const MAX_HEAVY_PAUSE_MS = 60_000
/** Nobody has written for so long: there is nobody to disturb. */
const QUIET_MS = 1000
/** How often a pause looks whether it is still needed. */
const LOOK_MS = 20

/** Makes work in the background give way to the writes of others. */
export class Pace {
  readonly #queues: Pick<SessionQueues<unknown>, 'writes'>
  #ownWrites = 0
  /** Writes of others that have been seen. */
  #seenWrites = 0
  #seenAt = -Infinity
  #resumedAt = 0
  #heavyMs = 0
  #isStopped = false
  #wake: () => void = () => undefined

  constructor(queues: Pick<SessionQueues<unknown>, 'writes'>) {
    this.#queues = queues
  }

  /** Work begins: only who writes from now on is given way to. */
  begin(): void {
    this.#seenWrites = this.#otherWrites
    this.#resumedAt = performance.now()
  }

  /** Starts a write of the work itself, which is not somebody else's. It is in its queue when `write` returns. */
  own<T>(write: () => Promise<T>): Promise<T> {
    const before = this.#queues.writes
    const writing = write()
    this.#ownWrites += this.#queues.writes - before
    return writing
  }

  /** Does something after which a longer pause is due, such as to rewrite storage. */
  async heavy(work: () => Promise<void>): Promise<void> {
    const startedAt = performance.now()
    try {
      await work()
    } finally {
      this.#heavyMs += performance.now() - startedAt
    }
  }

  /** At least one turn, so that whatever waits comes first. */
  async giveWay(): Promise<void> {
    const startedAt = performance.now()
    const heavyPauseMs = Math.min(MAX_HEAVY_PAUSE_MS, PAUSE_PER_HEAVY_WORK * this.#heavyMs)
    const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_PER_WORK * (startedAt - this.#resumedAt))
    const until = startedAt + Math.max(heavyPauseMs, pauseMs)
    this.#heavyMs = 0
    await this.#pause(0)
    for (let now = performance.now(); now < until && this.#isDisturbing(now); now = performance.now()) {
      await this.#pause(Math.min(LOOK_MS, until - now))
    }
    this.#resumedAt = performance.now()
  }

  /** Ends the pause under way, and every later one. */
  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  get #otherWrites(): number {
    return this.#queues.writes - this.#ownWrites
  }

  #isDisturbing(now: number): boolean {
    if (this.#otherWrites !== this.#seenWrites) {
      this.#seenWrites = this.#otherWrites
      this.#seenAt = now
    }
    return !this.#isStopped && now - this.#seenAt < QUIET_MS
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resume) => {
      const timer = setTimeout(resume, this.#isStopped ? 0 : ms)
      this.#wake = () => {
        clearTimeout(timer)
        resume()
      }
    })
  }
}
