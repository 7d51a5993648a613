export { fuzzRuns } from './fuzz-runs.ts'
export { mutatedBytes } from './mutated-bytes.ts'
export { mutatedText } from './mutated-text.ts'
export { SECRET, tellsSecret } from './secret.ts'
