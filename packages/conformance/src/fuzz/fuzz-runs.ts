/** What one input may take, with everything around it, before a run counts as hung. */
const MS_PER_INPUT = 20

/** How many inputs a fuzz test feeds, and how long it may take. `share` is for inputs that cost more than most. */
export function fuzzRuns(share: number = 1): { readonly numRuns: number; readonly timeoutMs: number } {
  const inputs = Number(process.env['TURNLOG_FUZZ_INPUTS'] ?? 500)
  const numRuns = Math.max(1, Math.ceil(inputs * share))
  return { numRuns, timeoutMs: 60_000 + numRuns * MS_PER_INPUT }
}
