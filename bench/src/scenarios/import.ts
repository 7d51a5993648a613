import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { alternate, roundsOf } from '../timing/alternate.ts'
import { timeSequence } from '../timing/slice.ts'
import { quantile } from '../timing/statistics.ts'
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

/** A process that starts is only ever held up, so the fast quarter says what it costs; differences of medians do not. */
const FAST = 0.25

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
    const fastMs = (id: string): number =>
      quantile(
        (slices.get(id) ?? []).map(({ elapsedMs }) => elapsedMs),
        FAST,
      )
    const bareNodeMs = fastMs('bare-node')
    const coreMs = fastMs('core') - bareNodeMs
    const turnlogMs = fastMs('turnlog') - bareNodeMs
    const figures = { bareNodeMs, coreMs, turnlogMs, turnlogCost: turnlogMs / coreMs }
    return { ...ABOUT, measurements: summariseSlices(SUBJECTS, slices, ABOUT.base), absent: [], figures }
  },
}
