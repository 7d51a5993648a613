import type { Target } from '@turnlog/conformance'

import * as folder from '../fixtures/folder-mutants.js'
import * as maintained from '../fixtures/maintained-mutants.js'
import * as shared from '../fixtures/shared-mutants.js'
import type { Mutant } from './mutant.ts'

/** Broken variants of backends that keep files, for promises that memory cannot break. */
export const folderMutants: readonly Mutant[] = mutantsOf(folder)
export const sharedMutants: readonly Mutant[] = mutantsOf(shared)
export const maintainedMutants: readonly Mutant[] = mutantsOf(maintained)

interface MutantModule {
  readonly mutants: Readonly<Record<string, { readonly caughtBy: readonly string[]; readonly healthy: string }>>
  readonly targetOf: (name: string) => unknown
}

function mutantsOf({ mutants, targetOf }: MutantModule): Mutant[] {
  return Object.entries(mutants).map(([name, { caughtBy, healthy, ...more }]) => ({
    name,
    caughtBy,
    healthy: targetOf(healthy) as Target,
    target: targetOf(name) as Target,
    unproven: 'unproven' in more,
  }))
}
