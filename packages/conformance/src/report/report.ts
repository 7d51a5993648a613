import type { Capabilities } from '@turnlog/core/backend'

import type { Level } from '../context/case.ts'

/** `unproven`: the backend promises it, but the target gives no means to test it. */
export type Status = 'passed' | 'failed' | 'unproven' | 'not-applicable'

export interface CaseResult {
  readonly id: string
  readonly level: Level
  readonly promise: string
  readonly prevents: string
  readonly status: Status
  readonly durationMs: number
  /** Why it was not run. */
  readonly reason?: string
  readonly failure?: {
    readonly message: string
    readonly expected: string
    readonly actual: string
    readonly repeat: string
  }
}

export interface Report {
  readonly suite: { readonly name: string; readonly version: string; readonly contract: number }
  readonly target: string
  readonly backend: { readonly name: string; readonly contract: number; readonly capabilities: Capabilities }
  readonly environment: { readonly node: string; readonly platform: string; readonly architecture: string }
  readonly seed: number
  readonly thorough: boolean
  readonly startedAt: string
  readonly durationMs: number
  /** Whether every case of the suite was asked for; a part of it can reach no level. */
  readonly complete: boolean
  readonly counts: Readonly<Record<Status, number>>
  /** `must`: every applicable `must` passed. `should`: every applicable `should` as well. */
  readonly level: 'none' | Level
  readonly cases: readonly CaseResult[]
}

export function levelReached(cases: readonly CaseResult[], complete: boolean): Report['level'] {
  const broken = (level: Level): boolean =>
    cases.some((result) => result.level === level && (result.status === 'failed' || result.status === 'unproven'))
  if (!complete || broken('must')) return 'none'
  return broken('should') ? 'must' : 'should'
}

/** Whether no `must` that was asked for is broken or unproven. */
export function isClean({ cases }: Pick<Report, 'cases'>): boolean {
  return levelReached(cases, true) !== 'none'
}
