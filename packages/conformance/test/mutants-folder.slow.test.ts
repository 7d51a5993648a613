import { folderMutants, maintainedMutants } from './mutants/folder-mutants.ts'
import { testMutants } from './mutants/test-mutants.ts'

testMutants([...folderMutants, ...maintainedMutants])
