import type { Checked } from '../check.ts'
import type { ScenarioResult } from '../scenarios/scenario.ts'
import type { SyncCount } from '../verify-sync.ts'
import type { Machine } from './machine.ts'

/** Everything that a run found; the table, the page and the picture are made from it. */
export interface Report {
  readonly date: string
  readonly scale: string
  readonly seed: number
  readonly machine: Machine
  readonly scenarios: readonly ScenarioResult[]
  readonly checks: readonly Checked[]
  readonly syncs: readonly SyncCount[]
  /** Scenarios that could not be run, with the reason. */
  readonly failures: readonly { readonly scenario: string; readonly reason: string }[]
}

export const METHOD =
  'Contestants take turns in short rounds in one process; ratios are computed within each round and the median over the rounds is shown. What was acknowledged is read back after reopening and compared.'

export const DURABILITY: Readonly<Record<ScenarioResult['durability'], string>> = {
  sync: 'acknowledged = survives a power failure',
  os: 'acknowledged = survives the death of the process',
  none: 'in memory only',
}
