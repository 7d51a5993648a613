import { runScenario } from './run-scenario.ts'
import type { RunOptions } from './run-scenario.ts'
import { scenarios } from './scenarios/index.ts'
import type { ScenarioResult } from './scenarios/scenario.ts'

export interface ScenarioRequest extends RunOptions {
  readonly scenario: string
}

export type ScenarioAnswer = { readonly result: ScenarioResult } | { readonly error: string }

/** A process of its own per scenario: a fresh heap, fresh code, and a crash that costs one scenario only. */
process.once('message', (request: ScenarioRequest) => {
  void answer(request).then((reply) => process.send?.(reply, () => process.disconnect()))
})

async function answer(request: ScenarioRequest): Promise<ScenarioAnswer> {
  try {
    const scenario = scenarios.find(({ id }) => id === request.scenario)
    if (scenario === undefined) throw new Error(`There is no scenario ${request.scenario}.`)
    return { result: await runScenario(scenario, request) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : 'unknown' }
  }
}
