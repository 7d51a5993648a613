import { StoreError } from '../errors/store-error.ts'

/** How long to wait for a turn. */
export interface TurnOptions {
  /** Milliseconds; `LOCKED` when they have passed. @default without end */
  readonly wait?: number
  /** Ends the waiting, or the turn's own signal if it has begun, with its reason. */
  readonly signal?: AbortSignal
}

type Schedule = (task: () => void, afterMs: number) => () => void

interface Waiting {
  begin(): void
  refuse(reason: unknown): void
}

/** The turns of sessions in this process: one of a session at a time, first come, first served. */
export class TurnQueues {
  readonly #schedule: Schedule
  /** Who waits behind the turn that runs. A session that has no turn is not here. */
  readonly #sessions = new Map<string, Waiting[]>()
  readonly #closed = new AbortController()

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** @param work gets a signal that aborts with the caller's, or when the store closes */
  async run<T>(session: string, options: TurnOptions, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    const { signal } = options
    signal?.throwIfAborted()
    const waiting = this.#sessions.get(session)
    if (waiting === undefined) this.#sessions.set(session, [])
    else await this.#wait(session, waiting, options)
    const ended = this.#closed.signal
    try {
      return await work(signal === undefined ? ended : AbortSignal.any([signal, ended]))
    } finally {
      this.#next(session)
    }
  }

  /** Refuses who waits and tells who works. */
  close(): void {
    const error = new StoreError('CLOSED', 'The store is closed.')
    this.#closed.abort(error)
    for (const waiting of this.#sessions.values()) for (const entry of waiting.splice(0)) entry.refuse(error)
  }

  #next(session: string): void {
    const first = this.#sessions.get(session)?.shift()
    if (first === undefined) this.#sessions.delete(session)
    else first.begin()
  }

  #wait(session: string, waiting: Waiting[], { wait, signal }: TurnOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        cancel?.()
        signal?.removeEventListener('abort', onAbort)
        const place = waiting.indexOf(entry)
        if (place >= 0) waiting.splice(place, 1)
      }
      const entry: Waiting = {
        begin: () => {
          settle()
          resolve()
        },
        refuse: (reason) => {
          settle()
          reject(reason)
        },
      }
      const onAbort = (): void => entry.refuse(signal?.reason)
      const name = JSON.stringify(session)
      const cancel =
        wait === undefined
          ? undefined
          : this.#schedule(() => {
              const message = `Session ${name} has had another turn for ${wait} milliseconds. Wait longer, or answer that it is busy.`
              entry.refuse(new StoreError('LOCKED', message, { session }))
            }, wait)
      signal?.addEventListener('abort', onAbort)
      waiting.push(entry)
    })
  }
}
