import { styleText } from 'node:util'

import type { Report } from './report.ts'

/** The report for a person: failures in full, what is unproven, then what it comes to. */
export function formatSummary(report: Report): string {
  const failures = report.cases.flatMap(({ failure, level }) =>
    failure === undefined ? [] : [styleText(level === 'must' ? 'red' : 'yellow', failure.message)],
  )
  const unproven = report.cases.filter(({ status }) => status === 'unproven')
  const reasons = unproven.map(({ id, reason }) => styleText('yellow', `${id}: unproven, ${reason ?? ''}`)).join('\n')
  return [...failures, ...(reasons === '' ? [] : [reasons]), totals(report)].join('\n\n')
}

function totals(report: Report): string {
  const { counts, backend, level, complete, seed, durationMs } = report
  const { persistent, durability, access, concurrentReaders, detectsDamage } = backend.capabilities
  const verdict = !complete
    ? 'a part of the suite, which reaches no level'
    : level === 'none'
      ? styleText('red', 'level none: a must is broken or unproven')
      : styleText('green', `level ${level}`)
  return [
    `${report.target}: ${counts.passed} passed, ${counts.failed} failed, ${counts.unproven} unproven, ${counts['not-applicable']} not applicable in ${(durationMs / 1000).toFixed(1)} s`,
    `claims: ${persistent ? 'persistent' : 'not persistent'}, durability ${durability}, ${access}, ${concurrentReaders ? '' : 'no '}concurrent readers, ${detectsDamage ? 'detects' : 'does not detect'} damage`,
    `seed ${seed}, ${verdict}`,
  ].join('\n')
}
