import type { Clock } from '@turnlog/core'

export const DAY_MS = 24 * 60 * 60 * 1000
export const YEAR_MS = 365 * DAY_MS

interface Task {
  readonly at: number
  readonly run: () => void
}

/** A clock that stands still until a test moves it. */
export class TestClock implements Required<Clock> {
  #wall = Date.UTC(2026, 0, 1)
  #monotonic = 1000
  #tasks: Task[] = []
  #onSchedule: (() => void)[] = []

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#monotonic
  }

  schedule(run: () => void, afterMs: number): () => void {
    const task = { at: this.#monotonic + afterMs, run }
    this.#tasks.push(task)
    for (const resume of this.#onSchedule.splice(0)) resume()
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task)
    }
  }

  /** Tasks that wait for their time. */
  get waiting(): number {
    return this.#tasks.length
  }

  /** How long until the next task. */
  get nextInMs(): number | undefined {
    const times = this.#tasks.map(({ at }) => at - this.#monotonic)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Time passes, and what is due is run. */
  advance(ms: number): void {
    this.#wall += ms
    this.#monotonic += ms
    const due = this.#tasks.filter(({ at }) => at <= this.#monotonic)
    this.#tasks = this.#tasks.filter(({ at }) => at > this.#monotonic)
    for (const { run } of due) run()
  }

  /** Time passes until the next task has run and has asked for its next time. */
  async runNext(): Promise<void> {
    const asked = this.nextSchedule()
    this.advance(this.nextInMs ?? 0)
    await asked
  }

  /** Resolves when somebody asks to be called later. */
  nextSchedule(): Promise<void> {
    return new Promise((resolve) => this.#onSchedule.push(resolve))
  }

  /** Somebody sets the time of day. */
  jump(ms: number): void {
    this.#wall += ms
  }
}
