import type { Build } from '../contestants/build.ts'
import type { Contestant, Durability } from '../contestants/contestant.ts'

/** `tiny` only proves that a scenario works. */
export type Scale = 'full' | 'quick' | 'tiny'

export interface ScenarioContext {
  /** Empty, and removed by whoever made it. */
  readonly directory: string
  readonly scale: Scale
  readonly seed: number
  /** Contestants of a third party, which take part wherever their durability fits. */
  readonly guests: readonly Contestant[]
  /** Another build of Turnlog to measure beside this one. Its contestants are among the guests. */
  readonly before?: Build
  /** Only these take part, by id. @default all */
  readonly only?: readonly string[]
}

export interface Measurement {
  readonly contestant: string
  readonly label: string
  readonly note?: string
  /** Operations per second of each round, for paired ratios. */
  readonly rounds: readonly number[]
  readonly perSecond: number
  readonly p50Us: number
  readonly p99Us: number
  /** Processor time per operation, all threads of the process. */
  readonly cpuUs: number
  /** Against the base of the scenario, paired by round; more than 1 is faster. */
  readonly ratio: number
  /** Its standard error, as a share of it. */
  readonly ratioError: number
  readonly diskBytes?: number
}

export interface Absent {
  readonly label: string
  readonly reason: string
}

export interface ScenarioResult {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly durability: Durability
  readonly unit: string
  readonly base: string
  readonly measurements: readonly Measurement[]
  readonly absent: readonly Absent[]
  /** Single figures that are no rate: bytes, milliseconds, ratios. */
  readonly figures?: Readonly<Record<string, number>>
}

export interface Scenario {
  readonly id: string
  readonly title: string
  /** What is done and what is not, in a sentence or two. */
  readonly about: string
  /** Everything in one scenario promises the same, so that no bar stands beside one that promises less. */
  readonly durability: Durability
  readonly unit: string
  /** The contestant that ratios refer to: the limit, where there is one. */
  readonly base: string
  /** Whether two builds can be compared in it. */
  readonly takesBuilds?: true
  run(context: ScenarioContext): Promise<ScenarioResult>
}
