import type { Operation } from './operation.ts'

/** One state that a session may be in. */
export interface State {
  readonly view: readonly string[]
  readonly summary: string
  readonly counter: number
  /** `undefined` while nobody has said. */
  readonly version: number | undefined
  /** How many of the calls that wait for their repetition are in it. */
  readonly repeated?: number
}

export const NOTHING: State = { view: [], summary: '', counter: 0, version: 0 }

/** The state after an operation. `past` holds what the session was at versions that `restore` may name. */
export function applyOperation(
  state: State,
  op: Operation,
  version: number | undefined,
  past: ReadonlyMap<number, State>,
): State {
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
      const then = past.get(op.at)
      if (then === undefined) throw new Error(`The journal restores version ${op.at}, which nobody was told of.`)
      return { ...state, view: then.view, summary: then.summary, version }
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

export function atVersion(state: State, version: number): State {
  return { ...state, version }
}

export function distinct(states: readonly State[]): readonly State[] {
  if (states.length === 1) return states
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()]
}

export function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index])
}

export function describeState({ view, summary, counter, version }: State): string {
  const ids = view.length > 4 ? [...view.slice(0, 2), '...', ...view.slice(-2)] : view
  return `version ${version ?? '?'}, ${view.length} messages [${ids.join(' ')}], summary ${JSON.stringify(summary)}, counter ${counter}`
}
