import type { Report } from './report.ts'

/** What shields.io calls an endpoint badge. */
export interface Badge {
  readonly schemaVersion: 1
  readonly label: string
  readonly message: string
  readonly color: string
}

export function badgeOf({ level, complete, counts, suite }: Report): Badge {
  const label = `turnlog contract ${suite.contract}`
  if (!complete) return { schemaVersion: 1, label, message: 'partial run', color: 'lightgrey' }
  const total = counts.passed + counts.failed + counts.unproven
  if (level === 'none') return { schemaVersion: 1, label, message: `${counts.passed} of ${total}`, color: 'red' }
  return {
    schemaVersion: 1,
    label,
    message: level === 'should' ? 'conforms' : `conforms, ${counts.failed + counts.unproven} wishes open`,
    color: level === 'should' ? 'brightgreen' : 'green',
  }
}
