import type { CaseResult, Report } from './report.ts'

/** The report as JUnit XML, which every build server can show. Only a broken or unproven `must` is a failure there. */
export function formatJunit(report: Report): string {
  const failures = report.cases.filter(isFailure).length
  const skipped = report.cases.filter((result) => result.status !== 'passed' && !isFailure(result)).length
  const counts = `tests="${report.cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds(report.durationMs)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escape(report.suite.name)}" ${counts}>`,
    `  <testsuite name="${escape(report.target)}" timestamp="${report.startedAt}" ${counts}>`,
    `    <properties><property name="seed" value="${report.seed}"/><property name="level" value="${report.level}"/></properties>`,
    ...report.cases.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(result: CaseResult): string {
  const group = result.id.split('.')[0] ?? ''
  const open = `    <testcase classname="${escape(group)}" name="${escape(result.id)}" time="${seconds(result.durationMs)}"`
  const text = result.failure?.message ?? result.reason ?? ''
  if (result.status === 'passed') return `${open}/>`
  if (isFailure(result))
    return `${open}><failure message="${escape(result.promise)}">${escape(text)}</failure></testcase>`
  return `${open}><skipped message="${escape(text)}"/></testcase>`
}

function isFailure({ status, level }: CaseResult): boolean {
  return level === 'must' && (status === 'failed' || status === 'unproven')
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3)
}

/** XML 1.0 has no place for most control characters, not even escaped. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
