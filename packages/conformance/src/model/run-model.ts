import * as fc from 'fast-check'

import type { CaseContext } from '../context/case.ts'
import { allCommands } from './commands.ts'
import { emptyModel } from './model.ts'
import type { StoreUnderTest } from './store-under-test.ts'

export interface ModelRunOptions {
  readonly runs: number
  readonly commands: number
}

/** Runs random sequences of commands, each against a new store, and shrinks one that fails. */
export async function runModel(
  { seed, count }: Pick<CaseContext, 'seed' | 'count'>,
  create: () => Promise<StoreUnderTest>,
  { runs, commands }: ModelRunOptions,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.commands(allCommands(), { maxCommands: commands, size: 'max' }), async (sequence) => {
      const store = await create()
      try {
        await fc.asyncModelRun(() => ({ model: emptyModel(), real: store }), sequence)
      } finally {
        await store.end()
      }
    }),
    // Shrinking opens many stores; what it finds within this time is short enough to read.
    { seed: seed | 0, numRuns: count(runs), interruptAfterTimeLimit: 60_000 * count(1), markInterruptAsFailure: false },
  )
}
