import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { turnlogTarget } from './contestants/turnlog.ts'
import type { Scale, Scenario, ScenarioResult } from './scenarios/scenario.ts'

export interface RunOptions {
  readonly scale: Scale
  readonly seed: number
  /** Module of a conformance target to measure as well. */
  readonly backend?: string
  /** Only these contestants, by id. @default all */
  readonly only?: readonly string[]
}

/** Runs one scenario here, in a directory of its own. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-bench-'))
  try {
    const guests = options.backend === undefined ? [] : [await turnlogTarget(options.backend, options.seed)]
    const { scale, seed, only } = options
    return await scenario.run({ directory, scale, seed, guests, ...(only === undefined ? undefined : { only }) })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
