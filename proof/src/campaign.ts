import type { Random } from '@turnlog/conformance/random'
import type { BackendName } from './child/make-backend.ts'

/** One line of the table. */
export interface Outcome {
  readonly campaign: string
  readonly backend: string
  /** What must hold, as `docs/guarantees.md` says it. */
  readonly promise: string
  readonly attempts: number
  /** What an attempt is. */
  readonly unit: string
  /** One line each, enough to find it again. */
  readonly violations: readonly string[]
  /** Why it was not run. */
  readonly skipped?: string
  readonly note?: string
}

export interface CampaignContext {
  readonly backends: readonly BackendName[]
  readonly seed: number
  /** Numbers of this campaign alone, from the seed. */
  readonly random: Random
  readonly long: boolean
  /** How often, if the caller says so; otherwise the campaign's own short or long number. */
  attempts(short: number, long: number): number
  /**
   * Begins the time that one line of the table may take; asked before each attempt. Short runs end in minutes on slow
   * machines too, with fewer attempts, and the table says how many.
   */
  budget(): () => boolean
  /** An empty directory for this campaign, removed afterwards. On a disk, unless `inMemory`. */
  directory(options?: { readonly inMemory?: boolean }): string
  progress(text: string): void
}

export interface Campaign {
  readonly name: string
  readonly title: string
  run(context: CampaignContext): Promise<readonly Outcome[]>
}
