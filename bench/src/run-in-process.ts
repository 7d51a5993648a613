import { fork } from 'node:child_process'

import type { RunOptions } from './run-scenario.ts'
import type { ScenarioAnswer, ScenarioRequest } from './scenario-process.ts'

const PROCESS = new URL('./scenario-process.js', import.meta.url)

/** Runs a scenario in a process of its own. */
export function runInProcess(scenario: string, options: RunOptions): Promise<ScenarioAnswer> {
  return new Promise((resolve) => {
    const child = fork(PROCESS, { execArgv: ['--expose-gc', '--no-warnings', ...process.execArgv] })
    let answer: ScenarioAnswer | undefined
    child.once('message', (message: ScenarioAnswer) => {
      answer = message
    })
    child.once('exit', (code, signal) =>
      resolve(answer ?? { error: `The process ended with ${signal ?? `code ${code}`} before it answered.` }),
    )
    child.send({ ...options, scenario } satisfies ScenarioRequest)
  })
}
