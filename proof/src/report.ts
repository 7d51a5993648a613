import { execFileSync } from 'node:child_process'

import Table from 'cli-table3'

import type { Outcome } from './campaign.ts'

export function tableOf(outcomes: readonly Outcome[], seed: number): string {
  const table = new Table({
    head: ['promise', 'backend', 'attempts', 'violations', 'seed'],
    colWidths: [64, 10, 26, 12, 12],
    wordWrap: true,
    style: { head: [], border: [] },
  })
  for (const outcome of outcomes) {
    table.push([outcome.promise, outcome.backend, attemptsOf(outcome), violationsOf(outcome), String(seed)])
  }
  return table.toString()
}

export function markdownOf(outcomes: readonly Outcome[], seed: number, command: string): string {
  const rows = outcomes.map(
    (outcome) =>
      `| ${outcome.campaign} | ${outcome.promise}${outcome.note === undefined ? '' : ` (${outcome.note})`} | ${outcome.backend} | ${attemptsOf(outcome)} | ${violationsOf(outcome)} | ${seed} |`,
  )
  return [
    `Run on ${new Date().toISOString().slice(0, 10)} at commit ${commit()} with Node ${process.versions.node} on ${process.platform}: \`${command}\``,
    '',
    '| campaign | promise | backend | attempts | violations | seed |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** A promise that was not tried is neither kept nor broken. */
export function verdictOf(outcome: Outcome): 'passed' | 'failed' | 'skipped' {
  if (outcome.skipped !== undefined) return 'skipped'
  return outcome.violations.length === 0 ? 'passed' : 'failed'
}

function attemptsOf({ attempts, unit, skipped }: Outcome): string {
  return skipped === undefined ? `${attempts} ${unit}` : `skipped: ${skipped}`
}

function violationsOf({ violations, skipped }: Outcome): string {
  return skipped === undefined ? String(violations.length) : '-'
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown' // not a checkout
  }
}
