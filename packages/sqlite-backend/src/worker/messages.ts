import type { OpenReport } from '@turnlog/core/backend'

import type { StoreOptions } from '../open/open-store.ts'
import type { Engine } from './engine-calls.ts'
import type { PlainError } from './plain-error.ts'

/** What the thread opens a store with. */
export interface WorkerOptions extends StoreOptions {
  readonly pollMs: number
}

/** Beside what an engine does: to have one, until its `close`. */
export interface WorkerCalls extends Engine {
  open(options: WorkerOptions): Promise<OpenReport>
  /** Lets the thread end by itself: what it has of SQLite is not torn away from it. */
  end(): void
}

export interface Call {
  readonly id: number
  readonly method: keyof WorkerCalls
  readonly args: readonly unknown[]
}

export type Answer =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'appended'; readonly id: number; readonly outcomes: readonly (PlainError | undefined)[] }
  | { readonly kind: 'error'; readonly id: number; readonly error: PlainError }
  | { readonly kind: 'changed'; readonly session: string }
