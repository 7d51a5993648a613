import { cases, runConformance } from '@turnlog/conformance'
import type { CaseResult, Target } from '@turnlog/conformance'
import { describe, expect, test } from 'vitest'

import type { Mutant } from './mutant.ts'

const known = new Set(cases.map(({ id }) => id))
const outcomes = new Map<string, Promise<CaseResult | undefined>>()

async function run(target: Target, id: string, seed = 1): Promise<CaseResult | undefined> {
  const report = await runConformance(target, { grep: new RegExp(`^${id.replaceAll('.', '\\.')}$`), seed })
  return report.cases[0]
}

/** A race between processes may go well by luck, so a mutant that escapes is met again, with other seeds. */
async function hunt(target: Target, id: string): Promise<CaseResult | undefined> {
  let outcome: CaseResult | undefined
  for (let seed = 1; seed <= 5 && outcome?.status !== 'failed'; seed++) outcome = await run(target, id, seed)
  return outcome
}

/** The right backends are asked once for each case. */
function runHealthy(target: Target, id: string): Promise<CaseResult | undefined> {
  const key = `${target.name} ${id}`
  const outcome = outcomes.get(key) ?? run(target, id)
  outcomes.set(key, outcome)
  return outcome
}

/** Registers, for each mutant and each case that must catch it, that the case does and that healthy kin passes it. */
export function testMutants(mutants: readonly Mutant[]): void {
  test('each mutant has a name of its own and cases that exist', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
    for (const { name, caughtBy } of mutants) {
      expect(caughtBy.length, name).toBeGreaterThan(0)
      expect(
        caughtBy.filter((id) => !known.has(id)),
        name,
      ).toEqual([])
    }
  })

  describe.each(mutants.map((mutant) => [mutant.name, mutant] as const))('a backend that %s', (_name, mutant) => {
    test.each(mutant.caughtBy)('is caught by %s, which its healthy kin passes', async (id) => {
      expect((await runHealthy(mutant.healthy, id))?.failure?.message).toBeUndefined()
      if (mutant.unproven === true) {
        expect(await run(mutant.target, id)).toMatchObject({ status: 'unproven', reason: expect.any(String) as string })
        return
      }
      const caught = await hunt(mutant.target, id)
      expect(caught?.status).toBe('failed')
      expect(caught?.failure?.message).toContain(caught?.promise)
    })
  })
}
