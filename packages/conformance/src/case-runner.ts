import { applicability } from './applicability.ts'
import type { Profile } from './applicability.ts'
import type { Case } from './context/case.ts'
import { ConformanceFailure } from './conformance-failure.ts'
import { probe } from './run-conformance.ts'
import { runCase } from './run-case.ts'
import type { Target } from './context/target.ts'
import { Unproven } from './context/unproven.ts'

export interface AdapterOptions {
  /** Only cases whose id matches. @default all */
  readonly grep?: RegExp
  /** @default the environment's `CONFORMANCE_SEED`, otherwise 1: a test run does the same each time */
  readonly seed?: number
  /** Ten times the counts. Takes minutes. @default false */
  readonly thorough?: boolean
}

/** `not-met`: a `should` that the backend does not keep. It is shown, and does not fail a test run. */
export type CaseOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'not-applicable' | 'not-met'; readonly reason: string }

/** What the adapters for test runners share. */
export interface CaseRunner {
  readonly seed: number
  readonly prepare: () => Promise<void>
  timeoutMs(testCase: Case): number
  /** @throws `ConformanceFailure` for a `must` that is broken, or that the target gives no means to test */
  run(testCase: Case): Promise<CaseOutcome>
}

/** More than the suite's own limit, which says more when it strikes. */
const GRACE_MS = 30_000

export function caseRunner(target: Target, options: AdapterOptions): CaseRunner {
  const seed = options.seed ?? Number(process.env['CONFORMANCE_SEED'] ?? 1)
  const thorough = options.thorough ?? false
  let profile: Promise<Profile> | undefined
  const prepare = async (): Promise<Profile> => {
    profile ??= probe(target, seed).then((found) => found.profile)
    return profile
  }
  return {
    seed,
    prepare: async () => void (await prepare()),
    timeoutMs: (testCase) => (testCase.timeoutMs ?? 60_000) * (thorough ? 10 : 1) + GRACE_MS,
    async run(testCase) {
      const applicable = applicability(testCase, await prepare())
      if (applicable.kind === 'not-applicable') return { kind: 'not-applicable', reason: applicable.reason }
      try {
        if (applicable.kind === 'unproven') throw new Unproven(applicable.reason)
        await runCase(testCase, target, { seed, thorough })
      } catch (error) {
        const failure = new ConformanceFailure(testCase, target, error, { seed, thorough })
        if (testCase.level === 'should') return { kind: 'not-met', reason: failure.message }
        throw failure
      }
      return { kind: 'passed' }
    },
  }
}
