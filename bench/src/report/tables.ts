import { styleText } from 'node:util'

import Table from 'cli-table3'

import type { Checked } from '../check.ts'
import type { ScenarioResult } from '../scenarios/scenario.ts'
import type { SyncCount } from '../verify-sync.ts'
import { bytesText, errorText, numberText } from './number-text.ts'
import { DURABILITY } from './report.ts'

const STYLE = { head: [], border: ['gray'], compact: true }

export function scenarioTable(result: ScenarioResult): string {
  const base = result.measurements.find(({ contestant }) => contestant === result.base)
  const table = new Table({
    head: ['', result.unit, 'x base', '±', 'p50 µs', 'p99 µs', 'CPU µs', 'disk'].map((name) => styleText('bold', name)),
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
    style: STYLE,
  })
  for (const { label, perSecond, ratio, ratioError, p50Us, p99Us, cpuUs, diskBytes } of result.measurements) {
    table.push([
      label.startsWith('turnlog') ? styleText('cyan', label) : label,
      numberText(perSecond),
      numberText(ratio),
      errorText(ratioError),
      numberText(p50Us),
      numberText(p99Us),
      numberText(cpuUs),
      diskBytes === undefined ? '' : bytesText(diskBytes),
    ])
  }
  const lines = [
    '',
    `${styleText('bold', result.title)}  ${styleText('gray', `[${result.id}] ${DURABILITY[result.durability]}`)}`,
    styleText('gray', result.about),
  ]
  if (result.measurements.length > 0) lines.push(table.toString())
  if (base !== undefined) lines.push(styleText('gray', `base: ${base.label}`))
  for (const { label, reason } of result.absent) lines.push(styleText('yellow', `absent: ${label}: ${reason}`))
  for (const [name, value] of Object.entries(result.figures ?? {})) lines.push(`  ${name}: ${numberText(value)}`)
  return lines.join('\n')
}

export function checkTable(checks: readonly Checked[]): string {
  const table = new Table({
    head: ['', 'measured', 'asked', 'ratio'].map((name) => styleText('bold', name)),
    colAligns: ['left', 'right', 'left', 'left'],
    style: STYLE,
  })
  for (const { title, value, bound, isMet } of checks) {
    const verdict =
      value === undefined
        ? styleText('yellow', 'not measured')
        : isMet
          ? styleText('green', 'met')
          : styleText('red', 'SHORT')
    table.push([verdict, value === undefined ? '-' : numberText(value), boundText(bound), title])
  }
  return table.toString()
}

export function boundText(bound: Checked['bound']): string {
  return 'least' in bound ? `>= ${bound.least}` : `<= ${bound.most}`
}

export function syncTable(syncs: readonly SyncCount[]): string {
  const table = new Table({
    head: ['', 'appends', 'syncs', 'contestant'].map((name) => styleText('bold', name)),
    style: STYLE,
  })
  for (const { label, appends, syncs: count, isKept } of syncs) {
    table.push([isKept ? styleText('green', 'syncs') : styleText('red', 'DOES NOT SYNC'), appends, count, label])
  }
  return table.toString()
}
