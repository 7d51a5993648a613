import { memoryMutants } from './mutants/index.ts'
import { testMutants } from './mutants/test-mutants.ts'

testMutants(memoryMutants)
