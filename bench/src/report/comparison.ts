import { styleText } from 'node:util'

import Table from 'cli-table3'

import { BEFORE } from '../contestants/turnlog.ts'
import type { ScenarioResult } from '../scenarios/scenario.ts'
import { median, medianError, ratiosByRound } from '../timing/statistics.ts'
import { errorText, numberText } from './number-text.ts'

/** How much slower than before is still the same. */
const TOLERANCE = 0.05
/** Twice the standard error: of equal builds, one comparison in forty looks slower than that. */
const ERRORS = 2

export interface Comparison {
  readonly scenario: string
  readonly contestant: string
  /** Throughput of this build in terms of the other one, paired by round. */
  readonly ratio: number
  readonly error: number
  /** Slower by more than the tolerance, and by more than the error of the measurement explains. */
  readonly isWorse: boolean
}

/** This build against the one that `--against` names, wherever both were measured. */
export function compareBuilds(results: readonly ScenarioResult[]): Comparison[] {
  return results.flatMap(({ id: scenario, measurements }) =>
    measurements.flatMap(({ contestant: before, rounds: then }) => {
      if (!before.includes(BEFORE)) return []
      const contestant = before.replace(BEFORE, '')
      const now = measurements.find((candidate) => candidate.contestant === contestant)
      if (now === undefined) return []
      const ratios = ratiosByRound(now.rounds, then)
      const ratio = median(ratios)
      const error = medianError(ratios)
      return [{ scenario, contestant, ratio, error, isWorse: ratio * (1 + ERRORS * error) < 1 - TOLERANCE }]
    }),
  )
}

export function comparisonTable(comparisons: readonly Comparison[]): string {
  const table = new Table({
    head: ['', 'now / before', '±', 'scenario', 'contestant'].map((name) => styleText('bold', name)),
    colAligns: ['left', 'right', 'right', 'left', 'left'],
    style: { head: [], border: ['gray'], compact: true },
  })
  for (const { scenario, contestant, ratio, error, isWorse } of comparisons) {
    const verdict = isWorse ? styleText('red', 'WORSE') : styleText('green', 'ok')
    table.push([verdict, numberText(ratio), errorText(error), scenario, contestant])
  }
  return table.toString()
}
