import type { SessionHead } from '../backend/backend.ts'
import type { Clock } from '../runtime/clock.ts'
import type { StoreWarning } from '../runtime/store-warning.ts'
import { listIntactPages } from '../backend/list-intact.ts'
import type { StoreError } from '../errors/store-error.ts'
import { isStoreError } from '../errors/store-error.ts'
import { loadState } from '../view/load-state.ts'
import type { Projection } from '../view/projection.ts'
import { projectionOf } from '../view/projection.ts'
import { readProjection } from '../view/read-projection.ts'
import type { EventSource } from '../view/read-events.ts'
import { Candidates } from './candidates.ts'
import { ClockGuard } from './clock-guard.ts'
import type { DueCompaction } from './compaction-due.ts'
import { compactionDue } from './compaction-due.ts'
import type { ExpireRules, RetentionRules, RetentionSettings } from './policies.ts'
import { prefixRules } from '../limits/prefix-rules.ts'
import type { SweepResult } from '../store/session-store.ts'

/** Heads looked at in one step. They are held in memory, some KB each. */
const HEADS_PER_STEP = 256
/** Sessions changed in one step. */
const ACTS_PER_STEP = 64

const DEFAULT_TRACES_MS = 30 * 24 * 60 * 60 * 1000

/** What a sweep does to sessions. */
export interface SweepActs {
  /** Whether it is being written to; it is then left alone. */
  isBusy(key: string): boolean
  /** @returns false if it was used meanwhile */
  expire(head: SessionHead): Promise<boolean>
  /** Erases what is left of a deleted session. @returns false if it was used meanwhile */
  eraseTrace(key: string): Promise<boolean>
  /** @returns how many events were removed */
  compact(key: string, due: DueCompaction): Promise<number>
  /** Gives way to whoever waits. */
  giveWay(): Promise<void>
  warn(warning: StoreWarning): void
}

export type SweepPolicies = Pick<RetentionSettings, 'expire' | 'retention' | 'autoCompact'>

type Counts = Record<Exclude<keyof SweepResult, 'clockJumped' | 'done'>, number>

/** Walks over all sessions in steps of bounded work, and does to each what the policies ask for. */
export class SweepSteps {
  readonly #source: EventSource
  readonly #acts: SweepActs
  readonly #clock: Required<Clock>
  readonly #guard: ClockGuard
  readonly #candidates: Candidates
  readonly #expire: ((key: string) => ExpireRules) | undefined
  readonly #retention: ((key: string) => RetentionRules) | undefined
  readonly #autoCompact: SweepPolicies['autoCompact']
  #after: string | undefined
  /** Damage that this sweep has warned of: each step may meet it again. */
  readonly #toldDamage = new Set<string>()
  #hasWarned = false

  constructor(
    source: EventSource,
    acts: SweepActs,
    { expire, retention, autoCompact }: SweepPolicies,
    { clock, intervalMs }: { readonly clock: Required<Clock>; readonly intervalMs: number },
  ) {
    this.#source = source
    this.#acts = acts
    this.#clock = clock
    this.#guard = new ClockGuard(clock)
    this.#candidates = new Candidates(clock, intervalMs)
    this.#expire = expire === undefined ? undefined : prefixRules<ExpireRules, ExpireRules>(expire, (rules) => rules)
    this.#retention =
      retention === undefined ? undefined : prefixRules<RetentionRules, RetentionRules>(retention, (rules) => rules)
    this.#autoCompact = autoCompact
  }

  async step(signal: AbortSignal): Promise<SweepResult> {
    const now = this.#believedTime()
    const counts: Counts = { sessions: 0, expired: 0, tracesErased: 0, compacted: 0, eventsRemoved: 0, failed: 0 }
    const heads = await this.#nextHeads(counts)
    for (const head of heads) {
      if (signal.aborted || changed(counts) >= ACTS_PER_STEP) break
      counts.sessions++
      this.#after = head.session
      await this.#visit(head, now, counts)
    }
    const done = counts.sessions === heads.length && heads.length < HEADS_PER_STEP
    if (done) {
      this.#after = undefined
      this.#candidates.endSweep()
      this.#toldDamage.clear()
    }
    return { ...counts, clockJumped: now === undefined, done }
  }

  async #nextHeads(counts: Counts): Promise<SessionHead[]> {
    const heads: SessionHead[] = []
    const keys = this.#after === undefined ? {} : { after: this.#after }
    const onDamaged = (damage: StoreError): void => this.#tellDamage(damage, counts)
    for await (const head of listIntactPages(this.#source.backend, keys, HEADS_PER_STEP, onDamaged)) {
      if (heads.push(head) === HEADS_PER_STEP) break
    }
    return heads
  }

  /** A session that cannot even be listed. The others must not grow for ever because of it. */
  #tellDamage(damage: StoreError, counts: Counts): void {
    if (this.#toldDamage.has(damage.message)) return
    this.#toldDamage.add(damage.message)
    this.#fail(damage.session, damage, counts)
  }

  #fail(session: string | undefined, cause: unknown, counts: Counts): void {
    counts.failed++
    const which = session === undefined ? 'a session' : `session ${JSON.stringify(session)}`
    const message = `The sweeper could not work on ${which}; it goes on with the others and tries again at the next sweep. Run verify if this repeats.`
    const about = session === undefined ? undefined : { session }
    this.#acts.warn({ code: 'SWEEP_SESSION_FAILED', message, ...about, cause })
  }

  /** One session that fails is reported, and the sweep goes on with the next. */
  async #visit(head: SessionHead, now: number | undefined, counts: Counts): Promise<void> {
    const key = head.session
    if (this.#acts.isBusy(key)) return
    try {
      const projection = readProjection(head.projection) ?? projectionOf(await loadState(this.#source, key))
      if (now !== undefined && (await this.#remove(head, projection, now, counts))) return
      if (projection.deleted === true) return
      const removedEventsForMs = this.#retention?.(key).removedEventsForMs
      const due = compactionDue(head, projection, { removedEventsForMs, autoCompact: this.#autoCompact, now })
      if (due === undefined) return
      await this.#acts.giveWay()
      const removed = await this.#acts.compact(key, due)
      counts.eventsRemoved += removed
      if (removed > 0) counts.compacted++
    } catch (error) {
      if (isStoreError(error, 'CLOSED') || isStoreError(error, 'READ_ONLY')) throw error
      this.#fail(key, error, counts)
    }
  }

  /** @returns whether the session, or what was left of it, has gone */
  async #remove(head: SessionHead, projection: Projection, now: number, counts: Counts): Promise<boolean> {
    const rules = this.#expire?.(head.session)
    if (rules === undefined) return false
    const { idleForMs = 'never', tracesForMs = DEFAULT_TRACES_MS } = rules
    const isDeleted = projection.deleted === true
    const limitMs = isDeleted ? tracesForMs : idleForMs
    if (typeof limitMs !== 'number' || now - projection.updatedAt <= limitMs) return false
    if (!this.#candidates.confirm(head.session, head.last)) return false
    await this.#acts.giveWay()
    const isGone = await (isDeleted ? this.#acts.eraseTrace(head.session) : this.#acts.expire(head))
    if (isGone) counts[isDeleted ? 'tracesErased' : 'expired']++
    return isGone
  }

  #believedTime(): number | undefined {
    const { jumpMs } = this.#guard
    if (jumpMs === 0) {
      this.#hasWarned = false
      return this.#clock.now()
    }
    this.#candidates.clear()
    if (!this.#hasWarned) {
      const message = `The system's time has moved ${Math.round(jumpMs / 1000)} seconds against the time that has passed since the store was opened. Nothing is removed for its age until they agree again, or the store is opened anew.`
      this.#acts.warn({ code: 'CLOCK_JUMPED', message })
      this.#hasWarned = true
    }
    return undefined
  }
}

function changed({ expired, tracesErased, compacted, failed }: Counts): number {
  return expired + tracesErased + compacted + failed
}
