import { performance } from 'node:perf_hooks'

/** Below this, half a batch takes the disk as long as a whole one. */
const LEAST_CALLERS = 16
/** A single write may be slow because of its neighbours; if so many in a row are, the disk is. */
const BATCHES_SEEN = 4

export interface PaceClock {
  now(): number
  /** How long the event loop has worked. */
  active(): number
}

const CLOCK: PaceClock = { now: () => performance.now(), active: () => performance.eventLoopUtilization().active }

/** What happened between the beginnings of two batches. */
interface Period {
  /** Changes that came. */
  readonly asked: number
  readonly activeMs: number
  readonly writeMs: number
}

/**
 * How much of what waits goes into the next batch.
 *
 * Callers ask again as soon as they are answered. With all of them in one batch, the event loop waits while the disk
 * works, and the disk waits while the event loop answers, folds and encodes. With one half in each of two batches, both
 * work at the same time, for twice the number of syncs. So it is two where the event loop needs longer for all callers
 * than the disk for a write, and one where it does not: 64 callers on a fast disk are served up to a fifth faster in two
 * halves, and on a disk that takes 10 ms 1.5 times as fast in one.
 */
export class CommitPace {
  readonly #clock: PaceClock
  #periods: readonly Period[] = []
  #asked = 0
  #active = 0
  #begin = 0
  #writeMs = Infinity
  /** Those that waited when the last batch ended, in it or behind it. */
  #callers = 0

  constructor(clock: PaceClock = CLOCK) {
    this.#clock = clock
  }

  /** A change has come. */
  ask(): void {
    this.#asked += 1
  }

  /** A batch begins. How many of those that wait may go into it. */
  begin(waiting: number): number {
    const active = this.#clock.active()
    const period = { asked: this.#asked, activeMs: active - this.#active, writeMs: this.#writeMs }
    this.#periods = [...this.#periods.slice(1 - BATCHES_SEEN), period]
    this.#asked = 0
    this.#active = active
    this.#begin = this.#clock.now()
    const callers = Math.max(this.#callers, waiting)
    const half = Math.ceil(callers / 2)
    return callers >= LEAST_CALLERS && waiting > half && !this.#isDiskSlower(callers) ? half : waiting
  }

  /** The batch has ended. Whether the next one should wait until those that are answered now have asked again. */
  end(written: number, waiting: number): boolean {
    this.#callers = written + waiting
    this.#writeMs = this.#clock.now() - this.#begin
    return waiting > 0 && this.#isDiskSlower(this.#callers)
  }

  /** Whether a write takes longer than the event loop works for so many callers. */
  #isDiskSlower(callers: number): boolean {
    const asked = this.#periods.reduce((sum, period) => sum + period.asked, 0)
    const activeMs = this.#periods.reduce((sum, period) => sum + period.activeMs, 0)
    const writeMs = this.#periods.reduce((least, period) => Math.min(least, period.writeMs), Infinity)
    return writeMs * asked > activeMs * callers
  }
}
