import { readFileSync } from 'node:fs'

import { runConformance } from '@turnlog/conformance'
import type { Report } from '@turnlog/conformance'
import { describe, expect, test } from 'vitest'

import { target as memory } from './fixtures/memory-target.js'

const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  name: string
  version: string
}
const sample: Report = await runConformance(memory, { grep: /^(head|corruption)/, seed: 1 })

describe('a report', () => {
  test('names the suite as its package does', () => {
    expect(sample.suite).toEqual({ name, version, contract: 1 })
  })

  test('is the same for the same seed, but for its times', async () => {
    const again = await runConformance(memory, { grep: /^(head|corruption)/, seed: 1 })
    expect(again.cases.map(({ durationMs: _durationMs, ...rest }) => rest)).toEqual(
      sample.cases.map(({ durationMs: _durationMs, ...rest }) => rest),
    )
  })

  test('counts a case that does not apply as neither passed nor failed', () => {
    expect(sample.counts.passed).toBe(sample.cases.filter(({ id }) => id.startsWith('head')).length)
    expect(sample.counts['not-applicable']).toBe(sample.cases.length - sample.counts.passed)
  })
})
