import type { Target } from '@turnlog/conformance'
import { mutants, targetOf } from '../fixtures/folder-mutants.js'
import type { Mutant } from './mutant.ts'

/** Broken variants of a backend that keeps files, for promises that memory cannot break. */
export const folderMutants: readonly Mutant[] = Object.entries(mutants).map(
  ([name, { caughtBy, healthy, ...more }]) => ({
    name,
    caughtBy,
    healthy: targetOf(healthy) as Target,
    target: targetOf(name) as Target,
    unproven: 'unproven' in more,
  }),
)
