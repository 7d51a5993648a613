import type { SessionHead } from '../backend/backend.ts'
import type { Clock } from '../runtime/clock.ts'
import { fullClock } from '../runtime/clock.ts'
import { reportWarning } from '../runtime/report-warning.ts'
import type { RetentionSettings } from './policies.ts'
import type { SessionSettings } from '../store/session-settings.ts'
import type { Retention, RetentionAccess } from '../store/retention.ts'
import { observe } from '../diagnostics/observe.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import { checkKeyText } from '../keys/check-key.ts'
import { deadThrough, planCheckpoint, planCompact, planTrim } from '../plan/compact.ts'
import type { Draft } from '../plan/draft.ts'
import { checkObject, checkWholeNumber } from '../errors/check-arguments.ts'
import { listIntactInfos } from '../store/list-sessions.ts'
import type { CompactResult, SweepResult } from '../store/session-store.ts'
import { lastDeadMessage } from '../view/last-dead-message.ts'
import type { SessionState } from '../view/session-state.ts'
import type { DueCompaction } from './compaction-due.ts'
import { isLargeRemoval } from './compaction-due.ts'
import { OverflowSummariser } from './overflow-summariser.ts'
import { Pace } from './pace.ts'
import { SweepSteps } from './sweep-steps.ts'
import { DEFAULT_INTERVAL_MS, Sweeper } from './sweeper.ts'

/** Keeps a store from growing for ever: what removes sessions and events, when it is asked to or by the policies. */
export class RetentionService<M extends object> implements Retention<M> {
  readonly #context: RetentionAccess<M>
  readonly #clock: Required<Clock>
  readonly #pace: Pace
  readonly #sweeper: Sweeper
  readonly #overflow: OverflowSummariser<M> | undefined

  constructor(context: RetentionAccess<M>, settings: SessionSettings<M> & RetentionSettings) {
    this.#context = context
    const clock = fullClock(settings.clock)
    this.#clock = clock
    const pace = new Pace(context.queues)
    this.#pace = pace
    const warn = (warning: Parameters<typeof reportWarning>[1]): void => reportWarning(settings, warning)
    const schedule = settings.sweep === 'manual' ? undefined : settings.sweep
    const steps = new SweepSteps(
      context.source,
      {
        isBusy: (key) => context.queues.isBusy(key),
        expire: (head) => this.#expireSession(head),
        eraseTrace: (key) => pace.own(() => this.#eraseTrace(key)),
        compact: (key, due) => this.#compactDue(key, due),
        giveWay: () => pace.giveWay(),
        warn,
      },
      settings,
      { clock, intervalMs: schedule?.intervalMs ?? DEFAULT_INTERVAL_MS },
    )
    this.#sweeper = new Sweeper({
      clock,
      step: (signal) => {
        pace.begin()
        const step = (): Promise<SweepResult> => steps.step(signal)
        return observe('turnlog:sweep', { backend: context.source.backend.name }, step, (result) => result)
      },
      giveWay: () => pace.giveWay(),
      warn,
    })
    const { expire, retention, autoCompact } = settings
    const onOverflow = settings.onOverflow?.bind(settings)
    const hasPolicy = expire !== undefined || retention !== undefined || autoCompact !== undefined
    if (hasPolicy && settings.sweep !== 'manual' && !context.readOnly) this.#sweeper.start(schedule ?? {})
    if (onOverflow === undefined) return
    this.#overflow = new OverflowSummariser<M>(context, { clock, onOverflow, warn })
  }

  /** To be told of every state that a write resulted in. */
  settled(key: string, state: SessionState<M>): void {
    this.#overflow?.notice(key, state)
  }

  sweep(): Promise<SweepResult> {
    if (!this.#context.readOnly) return this.#sweeper.step()
    return Promise.reject(new StoreError('READ_ONLY', 'The store was opened read-only. Open it for writing to sweep.'))
  }

  async stop(): Promise<void> {
    this.#overflow?.stop()
    const stopped = this.#sweeper.stop()
    this.#pace.stop()
    await stopped
  }

  /** Removes at once every message that left the view, whatever the policies say and whatever it takes. */
  compact(key: string): Promise<CompactResult> {
    const about = { backend: this.#context.source.backend.name, session: key, reason: 'asked' } as const
    const work = (): Promise<CompactResult> => this.#compact(key)
    return observe('turnlog:compaction', about, work, (result) => result)
  }

  async #compact(key: string): Promise<CompactResult> {
    const { source } = this.#context
    const { backend } = source
    const before = await backend.head(key)
    if (before === undefined) return { eventsRemoved: 0, bytesFreed: 0 }
    const eventBytes = before.bytes / (before.last - before.first + 1)
    let eventsRemoved = 0
    let past: { readonly settled: SessionState<M>; readonly dead: number } | undefined
    const plan = (draft: Draft<M>): void => {
      const dead = past === undefined ? 0 : deadThrough(draft, past.settled, past.dead)
      eventsRemoved = planCompact(draft, { eventBytes, deadThrough: dead })
    }
    const prepare = async (settled: SessionState<M>): Promise<void> => {
      past = { settled, dead: await lastDeadMessage(source, key, settled) }
    }
    // Not `write`, which is refused once the store closes: this was begun before.
    await this.#context.queues.enqueue(key, { bytes: 0, plan, prepare })
    if (eventsRemoved === 0) return { eventsRemoved, bytesFreed: 0 }
    await this.#reclaim(key)
    const after = await backend.head(key)
    return { eventsRemoved, bytesFreed: Math.max(0, before.bytes - (after?.bytes ?? 0)) }
  }

  /**
   * Erases what is left of a deleted session, of which nobody counts on anything any more. One that does not exist is
   * erased as well: an erasure that failed half-way may have left bytes of it, and the backend finishes that. Nothing
   * else may be written to it meanwhile.
   */
  async eraseDeleted(key: string): Promise<void> {
    const { states, source } = this.#context
    const { last, deleted } = await states.load(key)
    if (last > 0 && !deleted) return
    try {
      await source.backend.erase(key, last)
    } finally {
      states.forget(key) // if it failed, nobody knows how far it came
    }
  }

  /** @returns false if a write has begun it anew meanwhile */
  async #eraseTrace(key: string): Promise<boolean> {
    let isDeleted = false
    const look = (draft: Draft<M>): void => {
      isDeleted = draft.state.deleted
    }
    await this.#context.write(key, look, { afterwards: () => this.eraseDeleted(key) })
    return isDeleted
  }

  /**
   * Deletes at once what has been idle for so long: the caller's own decision, so no second look is taken.
   *
   * @throws the first damage that was met, when all the others have had their turn
   */
  async expire(options: { readonly idleForMs: number; readonly prefix?: string }): Promise<{ sessions: number }> {
    const { idleForMs, prefix } = checkObject('options', options, ['idleForMs', 'prefix'])
    checkWholeNumber('idleForMs', idleForMs)
    checkKeyText('prefix', prefix)
    const before = this.#clock.now() - idleForMs
    let sessions = 0
    const damaged: StoreError[] = []
    const keys = prefix === undefined ? {} : { prefix }
    for await (const info of listIntactInfos(this.#context.source, keys, (damage) => damaged.push(damage))) {
      if (info.updatedAt < before && (await this.#deleteUnused(info.key, info.version))) sessions++
    }
    if (damaged[0] !== undefined) throw damaged[0]
    return { sessions }
  }

  /** @returns false if it was used meanwhile */
  async #deleteUnused(key: string, expectedVersion: number): Promise<boolean> {
    try {
      return await this.#context.deleteSession(key, { expectedVersion, reason: 'expired' })
    } catch (error) {
      if (isStoreError(error, 'CONFLICT')) return false // used meanwhile, so not idle
      throw error
    }
  }

  async #expireSession({ session, last, bytes }: SessionHead): Promise<boolean> {
    const isGone = await this.#pace.own(() => this.#deleteUnused(session, last))
    if (isGone && isLargeRemoval(bytes, bytes)) await this.#pace.heavy(() => this.#reclaim(session))
    return isGone
  }

  async #reclaim(session: string): Promise<void> {
    await this.#context.source.backend.maintenance?.reclaim({ session })
  }

  #compactDue(key: string, due: DueCompaction): Promise<number> {
    if (due.step === 'checkpoint') return this.#carryOut(key, due)
    const about = { backend: this.#context.source.backend.name, session: key, reason: due.reason }
    const sizes = (removed: number) => ({ eventsRemoved: removed, bytesFreed: Math.round(removed * due.eventBytes) })
    return observe('turnlog:compaction', about, () => this.#carryOut(key, due), sizes)
  }

  async #carryOut(key: string, due: DueCompaction): Promise<number> {
    const { states } = this.#context
    const wasInUse = states.peek(key) !== undefined
    let removed = 0
    await this.#pace.own(() =>
      this.#context.write(key, (draft) => {
        if (due.step === 'compact') removed = planCompact(draft, due)
        else if (due.step === 'trim') removed = planTrim(draft, due.reason)
        else planCheckpoint(draft, due)
      }),
    )
    if (removed > 0 && due.isLarge) await this.#pace.heavy(() => this.#reclaim(key))
    // A sweep over cold sessions must not push those in use out of memory.
    if (!wasInUse) states.forget(key)
    return removed
  }
}
