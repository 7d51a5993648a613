import type { Mutant } from './mutant.ts'
import { appendMutants } from './append-mutants.ts'
import { eraseMutants } from './erase-mutants.ts'
import { folderMutants, maintainedMutants, sharedMutants } from './folder-mutants.ts'
import { keyMutants } from './key-mutants.ts'
import { lifecycleMutants } from './lifecycle-mutants.ts'
import { listMutants } from './list-mutants.ts'
import { readMutants } from './read-mutants.ts'
import { valueMutants } from './value-mutants.ts'

/** Those that need no files. */
export const memoryMutants: readonly Mutant[] = [
  ...appendMutants,
  ...eraseMutants,
  ...readMutants,
  ...listMutants,
  ...keyMutants,
  ...valueMutants,
  ...lifecycleMutants,
]

/** Every broken backend. One that survives its cases fails the build. */
export const mutants: readonly Mutant[] = [...memoryMutants, ...folderMutants, ...sharedMutants, ...maintainedMutants]
