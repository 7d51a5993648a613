import { readFileSync } from 'node:fs'
import { badgeOf, formatJunit, runConformance } from '@turnlog/conformance'
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

  test('makes XML of any text', () => {
    const [first] = sample.cases
    const failure = { message: 'a\u0000b & <c> "d" \ud800', expected: '', actual: '', repeat: '' }
    const xml = formatJunit({
      ...sample,
      target: '<&"',
      cases: [Object.assign({}, first, { status: 'failed' as const, failure })],
    })
    expect(xml).toContain('a\ufffdb &amp; &lt;c&gt; &quot;d&quot; \ufffd')
    expect(xml).toContain('name="&lt;&amp;&quot;"')
  })

  test('has a badge that is green only for a level', () => {
    const complete = { ...sample, complete: true }
    expect(badgeOf({ ...complete, level: 'none' }).color).toBe('red')
    expect(badgeOf({ ...complete, level: 'must' }).color).toBe('green')
    expect(badgeOf({ ...complete, level: 'should' }).color).toBe('brightgreen')
    expect(badgeOf(sample).color).toBe('lightgrey')
  })
})
