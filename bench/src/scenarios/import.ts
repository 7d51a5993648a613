import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { alternate, roundsOf } from '../timing/alternate.ts'
import { timeSequence } from '../timing/slice.ts'
import { median } from '../timing/statistics.ts'
import type { Scenario, ScenarioResult } from './scenario.ts'
import { summariseSlices } from './summarise-slices.ts'

const ABOUT = {
  id: 'import',
  title: 'Import of the package',
  about:
    'A new process imports the package and ends. The figure is what `turnlog` costs beyond bare Node, as a multiple of what `@turnlog/core` does.',
  durability: 'none',
  unit: 'processes/s',
  base: 'bare-node',
} as const

const SUBJECTS = [
  { id: 'bare-node', label: 'node, which imports nothing', code: '' },
  { id: 'core', label: "import('@turnlog/core')", code: "await import('@turnlog/core')" },
  { id: 'turnlog', label: "import('turnlog')", code: "await import('turnlog')" },
] as const

/** Where both packages are found, from `src` and from `dist`. */
const HERE = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

export const importScenario: Scenario = {
  ...ABOUT,
  run: async ({ scale }): Promise<ScenarioResult> => {
    const subjects = SUBJECTS.map(({ id, code }) => ({
      id,
      slice: () => timeSequence(1, () => run(process.execPath, ['--input-type=module', '-e', code], { cwd: HERE })),
    }))
    const slices = await alternate(subjects, roundsOf({ full: 25, quick: 15, tiny: 1 }, scale))
    const msOf = (id: string): number[] => (slices.get(id) ?? []).map(({ elapsedMs }) => elapsedMs)
    const [bare, core, turnlog] = [msOf('bare-node'), msOf('core'), msOf('turnlog')]
    const costs = turnlog.map((ms, round) => {
      const nothing = bare[round] ?? Number.NaN
      return (ms - nothing) / ((core[round] ?? Number.NaN) - nothing)
    })
    const figures = {
      bareNodeMs: median(bare),
      coreMs: median(core) - median(bare),
      turnlogMs: median(turnlog) - median(bare),
      turnlogCost: median(costs),
    }
    return { ...ABOUT, measurements: summariseSlices(SUBJECTS, slices, ABOUT.base), absent: [], figures }
  },
}
