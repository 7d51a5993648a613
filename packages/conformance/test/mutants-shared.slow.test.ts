import { sharedMutants } from './mutants/folder-mutants.ts'
import { testMutants } from './mutants/test-mutants.ts'

testMutants(sharedMutants)
