import type { Operation } from './operation.ts'
import type { LogSight, Sight } from './record.ts'

interface State {
  readonly view: readonly string[]
  readonly summary: string
  readonly counter: number
  /** `undefined` while nobody has said. */
  readonly version: number | undefined
}

type Status = 'open' | 'done' | 'nothing' | 'unknown'

interface Call {
  readonly n: number
  readonly op: Operation
  status: Status
  version: number | undefined
}

const NOTHING: State = { view: [], summary: '', counter: 0, version: 0 }

/** Codes after which a call may or may not have been recorded. Every other refusal means that it was not. */
const UNKNOWN_CODES: ReadonlySet<string> = new Set(['IO', 'OUTCOME_UNKNOWN'])

/**
 * The oracle's knowledge of one session: every state that it may be in. Certain calls move all of them, uncertain ones
 * add to them, a sight leaves one. No state left means that a promise was broken.
 */
export class Lane {
  #states: readonly State[] = [NOTHING]
  #calls: Call[] = []
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

  begin(n: number, op: Operation): void {
    this.#calls.push({ n, op, status: 'open', version: undefined })
  }

  done(n: number, version: number | undefined): void {
    this.#settle(n, 'done', version)
  }

  failed(n: number, code: string): void {
    this.#settle(n, UNKNOWN_CODES.has(code) ? 'unknown' : 'nothing', undefined)
  }

  /** The process is gone: of the calls that were not answered, a beginning in their order may have happened. */
  crash(): void {
    while (this.#calls.length > 0) {
      const open = this.#calls.findIndex(({ status }) => status !== 'open')
      if (open < 0) {
        let states = this.#states
        const possible = [...states]
        for (const { op } of this.#calls) {
          states = states.map((state) => this.#apply(state, op, undefined))
          possible.push(...states)
        }
        this.#states = distinct(possible)
        this.#calls = []
        return
      }
      for (const call of this.#calls.slice(0, open)) call.status = 'unknown'
      this.#resolve()
    }
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
        : `saw ${describe({ ...sight, view: sight.ids })}, expected ${this.#states.slice(0, 3).map(describe).join(' or ')}`
    const { ids: view, summary, counter, version } = sight
    this.#states = [{ view, summary, counter, version }]
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

  #settle(n: number, status: Status, version: number | undefined): void {
    const call = this.#calls.find((candidate) => candidate.n === n)
    if (call === undefined) throw new Error(`The journal answers call ${n}, which was never begun.`)
    call.status = status
    call.version = version
    this.#resolve()
  }

  /** Calls take effect in the order in which they were made, whatever the order of the answers. */
  #resolve(): void {
    for (;;) {
      const [call] = this.#calls
      if (call === undefined || call.status === 'open') return
      this.#calls.shift()
      if (call.status === 'nothing') continue
      const moved = this.#states.map((state) => this.#apply(state, call.op, call.version))
      this.#states = distinct(call.status === 'done' ? moved : [...this.#states, ...moved])
      if (call.status === 'done') this.#remember(call)
    }
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

  #apply(state: State, op: Operation, version: number | undefined): State {
    const { view } = state
    switch (op.kind) {
      case 'add':
        return { ...state, view: [...view, ...op.ids], version }
      case 'keepLast':
        return { ...state, view: op.count <= 0 ? [] : view.slice(-op.count), version }
      case 'cutBefore':
        return { ...state, view: view.slice(Math.max(0, view.indexOf(op.id))), version }
      case 'summary':
        return { ...state, summary: op.text, version }
      case 'summarize':
        return { ...state, summary: op.text, view: view.slice(view.indexOf(op.through) + 1), version }
      case 'history':
        return { ...state, view: op.ids, version }
      case 'replaceFrom':
        return { ...state, view: [...view.slice(0, Math.max(0, view.indexOf(op.id))), ...op.ids], version }
      case 'restore': {
        const past = this.#past.get(op.at)
        if (past === undefined) throw new Error(`The journal restores version ${op.at}, which nobody was told of.`)
        return { ...state, view: past.view, summary: past.summary, version }
      }
      case 'metadata':
        return { ...state, counter: op.counter, version }
      case 'note':
      case 'compact':
        return { ...state, version }
      case 'delete':
        return NOTHING
      case 'fork':
        return { view: op.ids, summary: op.summary, counter: op.counter, version }
      default:
        return op satisfies never
    }
  }
}

function distinct(states: readonly State[]): readonly State[] {
  if (states.length === 1) return states
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()]
}

function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index])
}

function describe({ view, summary, counter, version }: State): string {
  const ids = view.length > 4 ? [...view.slice(0, 2), '...', ...view.slice(-2)] : view
  return `version ${version ?? '?'}, ${view.length} messages [${ids.join(' ')}], summary ${JSON.stringify(summary)}, counter ${counter}`
}
