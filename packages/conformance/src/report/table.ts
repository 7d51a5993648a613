import Table from 'cli-table3'
import colors from 'picocolors'
import type { CaseResult, Report, Status } from './report.ts'

const PAINT: Readonly<Record<Status, (text: string) => string>> = {
  passed: colors.green,
  failed: colors.red,
  unproven: colors.yellow,
  'not-applicable': colors.dim,
}

/** The report for a person: failures first in full, then one line for each group, then what it comes to. */
export function formatTable(report: Report): string {
  const parts: string[] = []
  for (const { failure, level } of report.cases) {
    if (failure !== undefined)
      parts.push(level === 'must' ? colors.red(failure.message) : colors.yellow(failure.message))
  }
  const unproven = report.cases.filter(({ status }) => status === 'unproven')
  if (unproven.length > 0) {
    parts.push(unproven.map(({ id, reason }) => colors.yellow(`${id}: unproven, ${reason ?? ''}`)).join('\n'))
  }
  parts.push(groupTable(report.cases), summary(report))
  return parts.join('\n\n')
}

function groupTable(results: readonly CaseResult[]): string {
  const table = new Table({
    head: ['group', 'passed', 'failed', 'unproven', 'not applicable', 'ms'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  })
  const groups = new Map<string, CaseResult[]>()
  for (const result of results) {
    const group = result.id.split('.')[0] ?? result.id
    groups.set(group, [...(groups.get(group) ?? []), result])
  }
  for (const [group, members] of groups) {
    const cell = (status: Status): string => {
      const count = members.filter((member) => member.status === status).length
      return count === 0 ? '' : PAINT[status](String(count))
    }
    const durationMs = members.reduce((sum, member) => sum + member.durationMs, 0)
    table.push([group, cell('passed'), cell('failed'), cell('unproven'), cell('not-applicable'), durationMs.toFixed(0)])
  }
  return table.toString()
}

function summary(report: Report): string {
  const { counts, backend, level, complete, seed, durationMs } = report
  const { persistent, durability, access, concurrentReaders, detectsDamage } = backend.capabilities
  const verdict = !complete
    ? 'a part of the suite, which reaches no level'
    : level === 'none'
      ? colors.red('level none: a must is broken or unproven')
      : colors.green(`level ${level}`)
  return [
    `${report.target}: ${counts.passed} passed, ${counts.failed} failed, ${counts.unproven} unproven, ${counts['not-applicable']} not applicable in ${(durationMs / 1000).toFixed(1)} s`,
    `claims: ${persistent ? 'persistent' : 'not persistent'}, durability ${durability}, ${access}, ${concurrentReaders ? '' : 'no '}concurrent readers, ${detectsDamage ? 'detects' : 'does not detect'} damage`,
    `seed ${seed}, ${verdict}`,
  ].join('\n')
}
