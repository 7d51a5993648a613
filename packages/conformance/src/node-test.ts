import { describe, test } from 'node:test'

import { cases } from './cases/index.ts'
import { caseRunner } from './case-runner.ts'
import type { AdapterOptions } from './case-runner.ts'
import type { Target } from './context/target.ts'

/**
 * Registers the suite with `node:test`: one `describe` for the target, one `test` for each case, named by its id.
 * A case that does not apply, and a `should` that is not met, are shown as skipped with the reason. A `must` that the
 * target gives no means to test fails.
 */
export function conformance(target: Target, options: AdapterOptions = {}): void {
  const runner = caseRunner(target, options)
  void describe(`${target.name} (conformance, seed ${runner.seed})`, () => {
    for (const testCase of cases) {
      if (options.grep !== undefined && !options.grep.test(testCase.id)) continue
      void test(testCase.id, { timeout: runner.timeoutMs(testCase) }, async (context) => {
        const outcome = await runner.run(testCase)
        if (outcome.kind !== 'passed') context.skip(`${outcome.kind}: ${outcome.reason}`)
      })
    }
  })
}

export type { AdapterOptions } from './case-runner.ts'
