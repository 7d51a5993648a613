import type { Backend, Capabilities } from '@turnlog/core/backend'

import type { Random } from './random.ts'
import type { Harness, Target } from './target.ts'

export type Level = 'must' | 'should'

/**
 * What a backend says of itself. One that is false makes a case not applicable; another case tests the opposite.
 * `outsideReaders` follows from the others: another process may read beside a writer, as a reader or as a second writer.
 */
export type Claim =
  | 'persistent'
  | 'durable'
  | 'shared'
  | 'concurrentReaders'
  | 'outsideReaders'
  | 'detectsDamage'
  | 'maintenance'
  | 'wake'

/**
 * What a target gives to the suite. One that is missing makes a case unproven, which is never a pass.
 * `signals` is the platform's: a process can be stopped and let go on. Nobody owes it.
 */
export type Facility = 'second' | 'files' | 'module' | 'signals'

export interface CaseContext {
  readonly target: Target
  readonly harness: Harness
  /** Open, unless the case says `starts: 'closed'`. */
  readonly backend: Backend
  readonly capabilities: Capabilities
  /** The harness's own directory. It lies in `root`, where a case may put links and copies. */
  readonly directory: string
  readonly root: string
  readonly seed: number
  readonly random: Random
  readonly thorough: boolean
  /** How often to try: the usual number, or many times that when the run is thorough. */
  readonly count: (usual: number) => number
  /** Another harness, in another directory unless one is named, destroyed with the case. */
  readonly createHarness: (directory?: string) => Promise<Harness>
}

/** One promise of the contract and how to find out whether a backend keeps it. */
export interface Case {
  /** Stable and dotted: group, subject, circumstance. */
  readonly id: string
  readonly level: Level
  /** One sentence, true of every backend that passes. */
  readonly promise: string
  /** One sentence: what would happen to the users of a backend that breaks the promise. */
  readonly prevents: string
  readonly requires?: readonly (Claim | Facility)[]
  readonly unless?: readonly Claim[]
  /** @default 'open' */
  readonly starts?: 'open' | 'closed'
  /** After this the case has failed. @default 60_000 */
  readonly timeoutMs?: number
  run(context: CaseContext): Promise<void>
}
