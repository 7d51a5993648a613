import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'

import { CONTRACT } from '@turnlog/core/backend'

import { applicability, profileOf } from './applicability.ts'
import type { Profile } from './applicability.ts'
import type { Case } from './context/case.ts'
import { cases as allCases } from './cases/index.ts'
import { ConformanceFailure } from './conformance-failure.ts'
import type { FailureCircumstances } from './conformance-failure.ts'
import { levelReached } from './report/report.ts'
import type { CaseResult, Report, Status } from './report/report.ts'
import { runCase } from './run-case.ts'
import { suite } from './suite.ts'
import type { Target } from './context/target.ts'
import { Unproven } from './context/unproven.ts'
import { UsageError } from './context/usage-error.ts'

export interface ConformanceOptions {
  /** Only cases whose id matches. A part of the suite reaches no level. @default all */
  readonly grep?: RegExp
  /** @default chosen at random and reported */
  readonly seed?: number
  /** Ten times the counts, and every byte where otherwise a sample is damaged. Takes minutes. @default false */
  readonly thorough?: boolean
  /** The file that the target came from, for the command that repeats a failure. @default the target's `module` */
  readonly targetPath?: string
  /** Called before each case that is run. */
  readonly onStart?: (testCase: Case, index: number, total: number) => void
  /** Called after each case. */
  readonly onResult?: (result: CaseResult, index: number, total: number) => void
}

/** Runs the suite against a target, one case after the other, and says what came out. Never rejects for a failure. */
export async function runConformance(target: Target, options: ConformanceOptions = {}): Promise<Report> {
  const { grep, seed = Math.floor(Math.random() * 2 ** 31), thorough = false, targetPath } = options
  const circumstances = { seed, thorough, ...(targetPath === undefined ? {} : { targetPath }) }
  const selected = grep === undefined ? allCases : allCases.filter(({ id }) => grep.test(id))
  const started = new Date()
  const { profile, backend } = await probe(target, seed)
  const results: CaseResult[] = []
  for (const [index, testCase] of selected.entries()) {
    options.onStart?.(testCase, index, selected.length)
    const result = await resultOf(testCase, target, profile, circumstances)
    results.push(result)
    options.onResult?.(result, index, selected.length)
  }
  const counts: Record<Status, number> = { passed: 0, failed: 0, unproven: 0, 'not-applicable': 0 }
  for (const { status } of results) counts[status]++
  const complete = selected.length === allCases.length
  return {
    suite: { ...suite, contract: CONTRACT },
    target: target.name,
    backend,
    environment: { node: process.version, platform: process.platform, architecture: process.arch },
    seed,
    thorough,
    startedAt: started.toISOString(),
    durationMs: Date.now() - started.getTime(),
    complete,
    counts,
    level: levelReached(results, complete),
    cases: results,
  }
}

/** Asks a harness of its own what the backend claims, so that no case depends on another. */
export async function probe(
  target: Target,
  seed: number,
): Promise<{ readonly profile: Profile; readonly backend: Report['backend'] }> {
  const { module } = target
  if (module !== undefined && !module.startsWith('file:') && !isAbsolute(module)) {
    throw new UsageError(
      `The module of the target ${target.name} is ${module}, which child processes cannot find. Give import.meta.url or an absolute path.`,
    )
  }
  const directory = await mkdtemp(join(tmpdir(), 'turnlog-conformance-'))
  try {
    const harness = await target.create({ directory, seed })
    try {
      const { name, contract, capabilities } = harness.backend
      return {
        profile: profileOf(target, harness),
        backend: { name, contract, capabilities: { ...capabilities } },
      }
    } finally {
      await harness.destroy()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function resultOf(
  testCase: Case,
  target: Target,
  profile: Profile,
  circumstances: FailureCircumstances,
): Promise<CaseResult> {
  const { id, level, promise, prevents } = testCase
  const about = { id, level, promise, prevents }
  const applicable = applicability(testCase, profile)
  if (applicable.kind !== 'applicable') {
    return { ...about, status: applicable.kind, durationMs: 0, reason: applicable.reason }
  }
  const started = performance.now()
  const durationMs = (): number => Math.round((performance.now() - started) * 10) / 10
  try {
    await runCase(testCase, target, circumstances)
    return { ...about, status: 'passed', durationMs: durationMs() }
  } catch (error) {
    if (error instanceof Unproven) {
      return { ...about, status: 'unproven', durationMs: durationMs(), reason: error.message }
    }
    const { message, expected, actual, repeat } = new ConformanceFailure(testCase, target, error, circumstances)
    return { ...about, status: 'failed', durationMs: durationMs(), failure: { message, expected, actual, repeat } }
  }
}
