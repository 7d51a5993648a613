import { isStoreError, problemOf } from '@turnlog/core/backend'
import type { Problem } from '@turnlog/core/backend'

/** Enough to see what kind of damage it is. */
const MAX_PROBLEMS = 1000

/** What verify has counted and found so far. */
export class Findings {
  readonly problems: Problem[] = []
  sessions = 0
  heads = 0
  events = 0
  bytes = 0

  add(problem: Problem): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem)
  }

  /** Adds what was found elsewhere. */
  take({ problems, sessions, heads, events, bytes }: Findings): void {
    for (const problem of problems) this.add(problem)
    this.sessions += sessions
    this.heads += heads
    this.events += events
    this.bytes += bytes
  }

  addError(error: unknown): void {
    if (!isStoreError(error, 'CORRUPT') && !isStoreError(error, 'UNSUPPORTED')) throw error
    this.add(problemOf(error))
  }

  async attempt<T>(work: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.addError(error)
      return undefined
    }
  }
}
