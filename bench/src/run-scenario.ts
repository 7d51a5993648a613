import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { loadBuild } from './contestants/build.ts'
import { turnlogBefore, turnlogTarget } from './contestants/turnlog.ts'
import type { Scale, Scenario, ScenarioResult } from './scenarios/scenario.ts'

export interface RunOptions {
  readonly scale: Scale
  readonly seed: number
  /** Module of a conformance target to measure as well. */
  readonly backend?: string
  /** Another built checkout of Turnlog to measure beside this one. */
  readonly against?: string
  /** Only these contestants, by id. @default all */
  readonly only?: readonly string[]
}

/** Runs one scenario here, in a directory of its own. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-bench-'))
  try {
    const { scale, seed, only, backend, against } = options
    const guests = [
      ...(backend === undefined ? [] : [await turnlogTarget(backend, seed)]),
      ...(against === undefined ? [] : await turnlogBefore(against)),
    ]
    return await scenario.run({
      directory,
      scale,
      seed,
      guests,
      ...(only === undefined ? undefined : { only }),
      ...(against === undefined ? undefined : { before: await loadBuild(against) }),
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
