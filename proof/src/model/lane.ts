import { applyOperation, atVersion, describeState, distinct, NOTHING, sameIds } from './lane-state.ts'
import type { State } from './lane-state.ts'
import type { Retry } from './operation.ts'
import type { BeginRecord, LogSight, Sight } from './record.ts'

type Status = 'open' | 'done' | 'nothing' | 'unknown'

interface Call extends BeginRecord {
  status: Status
  version: number | undefined
}

/**
 * Codes after which a call may or may not have been recorded. Every other refusal means that it was not. An error
 * without a code is a violation by itself, and says nothing.
 */
const UNKNOWN_CODES: ReadonlySet<string> = new Set(['IO', 'OUTCOME_UNKNOWN', 'untyped'])

/**
 * The oracle's knowledge of one session: every state that it may be in. Certain calls move all of them, uncertain ones
 * add to them, a sight leaves one. No state left means that a promise was broken.
 */
export class Lane {
  #states: readonly State[] = [NOTHING]
  #calls: Call[] = []
  /** Calls that the last process made and nobody answered. Repeated with their ids, each must be there just once. */
  #unanswered: readonly Retry[] = []
  /** What the session was at versions that somebody was told, for `restore`. */
  readonly #past = new Map<number, State>()
  /** Acknowledged messages by seq, as far as they must still be in the log. */
  readonly #added = new Map<number, string>()

  get mayExist(): boolean {
    return this.#states.some(({ version }) => version !== 0)
  }

  get mustExist(): boolean {
    return this.#calls.length === 0 && this.#states.every(({ version }) => version !== 0)
  }

  get retries(): readonly Retry[] {
    return this.#unanswered
  }

  begin(record: BeginRecord): void {
    if (record.again === undefined) this.#forgetUnanswered()
    this.#calls.push({ ...record, status: 'open', version: undefined })
  }

  /** @returns what is wrong with the answer, if anything */
  done(n: number, version: number | undefined): string | undefined {
    return this.#settle(n, 'done', version)
  }

  /** @returns what is wrong with the refusal, if anything */
  failed(n: number, code: string): string | undefined {
    const isUnknown = UNKNOWN_CODES.has(code)
    const { again, op } = this.#call(n)
    this.#settle(n, isUnknown ? 'unknown' : 'nothing', undefined)
    return again === undefined || isUnknown ? undefined : `the repetition of ${op.kind} was refused with ${code}`
  }

  /** The process is gone: of the calls that were not answered, a beginning in their order may have happened. */
  crash(): void {
    while (this.#calls.length > 0) {
      const open = this.#calls.findIndex(({ status }) => status !== 'open')
      if (open < 0) {
        this.#loseOpenCalls()
        return
      }
      for (const call of this.#calls.slice(0, open)) call.status = 'unknown'
      this.#resolve()
    }
  }

  #loseOpenCalls(): void {
    // Repetitions that are lost in their turn leave the same calls to be repeated.
    if (this.#calls.every(({ again }) => again === undefined)) {
      this.#forgetUnanswered()
      const retries = this.#calls.flatMap(({ key, op, place = {}, id }) =>
        id === undefined ? [] : [{ key, op, place, id }],
      )
      if (retries.length === this.#calls.length) {
        this.#unanswered = retries
        this.#calls = this.#calls.map((call, index) => ({ ...call, again: index }))
        this.#states = this.#states.map((state) => ({ ...state, repeated: 0 }))
      }
    }
    let states = this.#states
    const possible = [...states]
    for (const call of this.#calls) {
      states = states.map((state) => this.#move(state, call))
      possible.push(...states)
    }
    this.#states = distinct(possible)
    this.#calls = []
  }

  #forgetUnanswered(): void {
    if (this.#unanswered.length === 0) return
    this.#unanswered = []
    this.#states = distinct(
      this.#states.map(({ view, summary, counter, version }) => ({ view, summary, counter, version })),
    )
  }

  /** @returns what is wrong with it, if anything */
  saw(sight: Sight, log: LogSight | undefined): string | undefined {
    const matching = this.#states.filter(
      ({ view, summary, counter, version }) =>
        (version === undefined || version === sight.version) &&
        summary === sight.summary &&
        counter === sight.counter &&
        sameIds(view, sight.ids),
    )
    const problem =
      matching.length > 0
        ? this.#checkLog(sight, log)
        : `saw ${describeState({ ...sight, view: sight.ids })}, expected ${this.#states.slice(0, 3).map(describeState).join(' or ')}`
    const { ids: view, summary, counter, version } = sight
    if (matching.length === 0) this.#unanswered = []
    this.#states =
      matching.length === 0
        ? [{ view, summary, counter, version }]
        : distinct(matching.map((state) => atVersion(state, version)))
    if (version > 0) this.#past.set(version, { view, summary, counter, version })
    else this.#added.clear() // a deletion that was not answered has happened
    return problem
  }

  #checkLog({ version }: Sight, log: LogSight | undefined): string | undefined {
    if (log === undefined || version === 0) return undefined
    if (!log.contiguous) return `the log has a gap between ${log.first} and ${log.last}`
    if (log.last !== version) return `the log ends at ${log.last}, the view is of version ${version}`
    const found = new Map(log.added)
    for (const [seq, id] of this.#added) {
      if (seq < log.first) this.#added.delete(seq)
      else if (found.get(seq) !== id) return `event ${seq} is ${found.get(seq) ?? 'no message'}, ${id} was acknowledged`
    }
    return undefined
  }

  #call(n: number): Call {
    const call = this.#calls.find((candidate) => candidate.n === n)
    if (call === undefined) throw new Error(`The journal answers call ${n}, which was never begun.`)
    return call
  }

  #settle(n: number, status: Status, version: number | undefined): string | undefined {
    Object.assign(this.#call(n), { status, version })
    return this.#resolve()
  }

  /** Calls take effect in the order in which they were made, whatever the order of the answers. */
  #resolve(): string | undefined {
    let problem: string | undefined
    for (;;) {
      const [call] = this.#calls
      if (call === undefined || call.status === 'open') return problem
      this.#calls.shift()
      if (call.status === 'nothing') continue
      const possible = this.#states.filter((state) => agrees(state, call))
      if (possible.length === 0)
        problem = `the repetition of ${call.op.kind} got version ${call.version ?? '?'} as its result, which is not the first one`
      const moved = (possible.length === 0 ? this.#states : possible).map((state) => this.#move(state, call))
      this.#states = distinct(call.status === 'done' ? moved : [...this.#states, ...moved])
      if (call.status === 'done') this.#remember(call)
    }
  }

  /** The state after a call; a repetition changes nothing where the call has already happened. */
  #move(state: State, { op, version, again }: Call): State {
    if (again === undefined) return applyOperation(state, op, version, this.#past)
    const { repeated = 0 } = state
    if (repeated <= again) return { ...applyOperation(state, op, version, this.#past), repeated: again + 1 }
    return repeated === again + 1 && version !== undefined ? { ...state, version } : state
  }

  #remember({ op, version }: Call): void {
    if (op.kind === 'delete') {
      this.#past.clear()
      this.#added.clear()
    }
    if (op.kind === 'compact') this.#past.clear()
    const [state] = this.#states
    if (version === undefined || version === 0 || state === undefined || this.#states.length > 1) return
    this.#past.set(version, state)
    if (op.kind !== 'add') return
    for (const [index, id] of op.ids.entries()) this.#added.set(version - op.ids.length + 1 + index, id)
  }
}

/** The same id again gives the first result: where the call was the last that happened, that is the version now. */
function agrees({ repeated = 0, version }: State, call: Call): boolean {
  if (call.again === undefined || call.version === undefined || version === undefined) return true
  return repeated !== call.again + 1 || version === call.version
}
