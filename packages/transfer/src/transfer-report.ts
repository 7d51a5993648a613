import type { StoreErrorCode } from '@turnlog/core/backend'

/**
 * What became of a session.
 *
 * - `copied`: it was not there, and now it is.
 * - `resumed`: a part of it was there, from an earlier copy; now it is whole.
 * - `already-there`: nothing was left to do.
 * - `conflict`: the target has a session of that key that is not a part of this one. It was not touched.
 * - `failed`: it could not be read, or did not come out as it went in.
 */
export type TransferStatus = 'copied' | 'resumed' | 'already-there' | 'conflict' | 'failed'

export interface TransferProblem {
  /** Empty for a damaged file that does not tell whose it is. */
  readonly session: string
  readonly code: StoreErrorCode
  /** One or two sentences for a person. No message contents. */
  readonly message: string
}

export interface TransferReport {
  /** Every session is in the target, whole. */
  readonly ok: boolean
  readonly counts: Readonly<Record<TransferStatus, number>>
  /** Events that were written. */
  readonly events: number
  /** One for each `conflict` and `failed`. */
  readonly problems: readonly TransferProblem[]
}

export interface TransferProgress {
  /** What was finished last. */
  readonly session: string
  readonly status: TransferStatus
  /** Sessions so far. */
  readonly done: number
  /** Of so many; `undefined` while that is not known, as with a stream. */
  readonly total: number | undefined
  /** Events that were written so far. */
  readonly events: number
}

export interface TransferOptions {
  /** Called once for each session, when it is done. @default nobody is told */
  readonly onProgress?: (progress: TransferProgress) => void
  /** Ends the transfer; a later one goes on where this one stopped. @default none */
  readonly signal?: AbortSignal
}

/** What one session adds to the report. */
export type SessionOutcome =
  | { readonly status: 'copied' | 'resumed' | 'already-there'; readonly events: number }
  | { readonly status: 'conflict' | 'failed'; readonly problem: TransferProblem }

/** Counts outcomes and tells whoever listens. */
export class TransferTally {
  readonly #onProgress: TransferOptions['onProgress']
  readonly #total: number | undefined
  readonly #counts: Record<TransferStatus, number> = {
    copied: 0,
    resumed: 0,
    'already-there': 0,
    conflict: 0,
    failed: 0,
  }
  readonly #problems: TransferProblem[] = []
  #done = 0
  #events = 0

  constructor(onProgress: TransferOptions['onProgress'], total?: number) {
    this.#onProgress = onProgress
    this.#total = total
  }

  add(session: string, outcome: SessionOutcome): void {
    const { status } = outcome
    this.#counts[status]++
    this.#done++
    if ('problem' in outcome) this.#problems.push(outcome.problem)
    else this.#events += outcome.events
    this.#onProgress?.({ session, status, done: this.#done, total: this.#total, events: this.#events })
  }

  report(): TransferReport {
    const problems = this.#problems
    return { ok: problems.length === 0, counts: { ...this.#counts }, events: this.#events, problems }
  }
}
