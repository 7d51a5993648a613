import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairPairs } from '../../src/pairs/repair-pairs.ts'
import { safeBoundary } from '../../src/pairs/safe-boundary.ts'
import { deepFreeze, write, type Step } from './conversation.ts'
import { formats } from './formats.ts'
import { judge } from './pair-faults.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const runs = { seed, numRuns: 300 }
console.log(`pairs: SEED=${seed}`)

const id = fc.constantFrom('call_0', 'call_1', 'call_2', 'call_3')
const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 3 })

/** A turn as agents record it: calls, some or all results in any order, now and then the user or a system message in between. */
const turn: fc.Arbitrary<Step[]> = fc
  .record({
    called: ids,
    lost: fc.array(id, { maxLength: 1 }),
    split: fc.boolean(),
    before: fc.constantFrom<Step['kind']>('user', 'say', 'system', 'calls'),
    after: fc.constantFrom<Step['kind']>('user', 'say', 'system', 'calls'),
  })
  .map(({ called, lost, split, before, after }) => {
    const returned = called.filter((one) => !lost.includes(one)).reverse()
    const answers: Step[] = split
      ? returned.map((one) => ({ kind: 'results', ids: [one] }))
      : [{ kind: 'results', ids: returned }]
    return [...plain(before), { kind: 'calls', ids: called }, ...answers, ...plain(after)] satisfies Step[]
  })

/** Anything goes: results from nowhere, calls on calls. */
const noise: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.constantFrom<Step>({ kind: 'user' }, { kind: 'say' }, { kind: 'system' }),
    ids.map((some): Step => ({ kind: 'calls', ids: some })),
    ids.map((some): Step => ({ kind: 'results', ids: some })),
  ),
  { maxLength: 4 },
)

const conversation = fc
  .array(fc.oneof(turn, turn, noise), { maxLength: 8 })
  .map((turns) => turns.flat().filter((step) => !('ids' in step) || step.ids.length > 0))

function plain(kind: Step['kind']): Step[] {
  return kind === 'calls' || kind === 'results' ? [] : [{ kind }]
}

describe.each(formats)('random conversations in $name', (format) => {
  it('are never cut between a call and its result, nor behind a pending call, and no further back than needed', () => {
    fc.assert(
      fc.property(conversation, (steps) => {
        const messages = deepFreeze(write(format, ...steps))
        const { pairs, pending } = judge(messages, format.sayEndsTurn)
        const isSafe = (boundary: number): boolean =>
          pairs.every(([call, result]) => boundary <= call || boundary > result) &&
          pending.every((call) => boundary <= call)
        for (let asked = 0; asked <= messages.length; asked++) {
          let best = asked
          while (!isSafe(best)) best--
          expect(safeBoundary(messages, asked)).toBe(best)
        }
      }),
      runs,
    )
  })

  it('have no more orphans after a cut than before it', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (steps, where) => {
        const messages = write(format, ...steps)
        const boundary = safeBoundary(messages, where % (messages.length + 1))
        const orphansBefore = judge(messages, format.sayEndsTurn).orphans.filter((at) => at >= boundary)
        const rest = messages.slice(boundary)
        expect(judge(rest, format.sayEndsTurn).orphans.map((at) => at + boundary)).toEqual(orphansBefore)
      }),
      runs,
    )
  })

  it('are valid after a repair, which done again or on a copy gives the same', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (steps, where) => {
        const all = write(format, ...steps)
        const messages = deepFreeze(all.slice(where % (all.length + 1)))
        const bytes = JSON.stringify(messages)
        const repaired = repairPairs(messages)
        const { orphans, interrupted } = judge(repaired.messages, format.sayEndsTurn)
        expect({ orphans, interrupted }).toEqual({ orphans: [], interrupted: [] })
        const again = repairPairs(deepFreeze(repaired.messages))
        expect(again.repairs).toEqual([])
        expect(again.messages.every((message, at) => message === repaired.messages[at])).toBe(true)
        expect(again.messages).toHaveLength(repaired.messages.length)
        expect(JSON.stringify(repairPairs(structuredClone(messages)))).toBe(JSON.stringify(repaired))
        expect(JSON.stringify(messages)).toBe(bytes)
      }),
      runs,
    )
  })

  it('come back as the same objects if nothing is wrong with them', () => {
    fc.assert(
      fc.property(conversation, (steps) => {
        const valid = repairPairs(write(format, ...steps)).messages
        const { messages, repairs } = repairPairs(valid)
        expect(repairs).toEqual([])
        expect(messages).toHaveLength(valid.length)
        expect(messages.every((message, at) => message === valid[at])).toBe(true)
      }),
      runs,
    )
  })
})
