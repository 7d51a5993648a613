import type { Backend } from '../backend/backend.ts'
import { StoreError } from '../errors/store-error.ts'
import type { Intent, Planned } from '../queue/intent.ts'
import type { SessionState } from '../view/session-state.ts'

/** Survives two copies of this package in one process, like the brand of errors. */
const INTERNALS: unique symbol = Symbol.for('turnlog.StoreInternals')

/** What migration and transfer need of a store and its callers do not. */
export interface StoreInternals<M extends object> {
  readonly backend: Backend
  maxMessageBytes(key: string): number
  load(key: string): Promise<SessionState<M>>
  /** Plans and writes an operation in its session's queue, like every other write. */
  write<R extends object>(key: string, intent: Intent<M, R>): Promise<Planned<R>>
  /** The session was written to past the store: what is cached of it is outdated, and watchers have something to see. */
  refresh(key: string): void
}

/** Makes them known to {@link internalsOf}, out of sight of everybody else. */
export function provideInternals<M extends object>(store: object, internals: StoreInternals<M>): void {
  Object.defineProperty(store, INTERNALS, { value: internals })
}

/** @throws `INVALID_ARGUMENT` if it is not a store that `openStore` made */
export function internalsOf<M extends object>(store: object): StoreInternals<M> {
  const internals = findInternals<M>(store)
  if (internals !== undefined) return internals
  throw new StoreError('INVALID_ARGUMENT', 'This needs a store as openStore() returns it, not a wrapper around one.')
}

export function findInternals<M extends object>(store: object): StoreInternals<M> | undefined {
  return (store as { readonly [INTERNALS]?: StoreInternals<M> })[INTERNALS]
}
