import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { cases } from '@turnlog/conformance'
import { expect, test } from 'vitest'

const file = fileURLToPath(new URL('./fixtures/node-test-run.js', import.meta.url))

function runNodeTest(): Promise<string> {
  return new Promise((resolve) => {
    // A child that thinks it is part of another run reports to that one instead of printing.
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env
    execFile(process.execPath, ['--test', '--test-reporter=tap', file], { env, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve(stdout),
    )
  })
}

test('node:test runs the same cases under the same ids, and fails where a promise is broken', async () => {
  const output = await runNodeTest()
  const lines = [...output.matchAll(/^ *(ok|not ok) \d+ - (\S+)(?: # SKIP (.*))?$/gm)].map(
    ([, result, id, skipped]) => ({ result, id, skipped }),
  )
  const ofMemory = lines.slice(0, cases.length)
  expect(ofMemory.map(({ id }) => id)).toEqual(cases.map(({ id }) => id))
  expect(ofMemory.filter(({ result }) => result === 'not ok')).toEqual([])
  const skipped = ofMemory.filter((line) => line.skipped !== undefined)
  expect(skipped.length).toBeGreaterThan(0)
  expect(skipped.every((line) => line.skipped?.startsWith('not-applicable: '))).toBe(true)
  expect(output).toContain('not ok 1 - read.range.ends')
  expect(output).toContain('Both ends of a range belong to it.')
  expect(output).toMatch(/seed: +3/)
})
