import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairPairs } from '../../src/pairs/repair-pairs.ts'
import { PairWalk } from '../../src/pairs/pair-walk.ts'
import { safeBoundary } from '../../src/pairs/safe-boundary.ts'
import { readLinks, type ToolLinksOf } from '../../src/pairs/tool-links.ts'
import { deepFreeze, write, type Step } from './conversation.ts'
import { formats } from './formats.ts'
import { judge } from './pair-faults.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const runs = { seed, numRuns: 200 }
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
    const made: Step = { kind: 'calls', ids: called }
    return [plain(before), [made], answers, plain(after)].flat()
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

describe('random mixtures of all formats', () => {
  const odd = (one: string): object[] => [
    { type: 'reasoning', id: 'rs', summary: [] },
    { type: 'computer_call', call_id: one },
    { type: 'mcp_approval_request', id: one },
    { role: 'assistant', parts: [{ type: 'tool-look', toolCallId: one, state: 'input-available' }] },
    { role: 'assistant', content: [{ type: 'server_tool_use', id: one, name: 'web_search' }] },
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: one },
        { type: 'text', text: 'x' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'mcp_tool_use', id: one },
        { type: 'tool_use', id: 'call_1' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: one, providerExecuted: true }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: one },
        { type: 'text', text: 'x' },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { name: one } }, { text: 'x' }] },
    { type: 'own', asks: [one], gives: [] },
    { type: 'own', asks: ['call_1'], gives: [one] },
    { type: 'own', asks: [], gives: [one] },
  ]
  const some = fc.oneof(
    fc.tuple(fc.constantFrom(...formats), noise).map(([format, steps]) => write(format, ...steps)),
    fc.tuple(id, fc.nat({ max: 12 })).map(([one, which]) => odd(one).slice(which, which + 1)),
  )
  const mixture = fc.array(some, { maxLength: 12 }).map((parts) => parts.flat())
  const custom = (message: object) => {
    const { asks, gives } = message as { asks?: string[]; gives?: string[] }
    return asks === undefined || gives === undefined ? undefined : { calls: asks, results: gives }
  }

  it.each([{}, { toolLinks: custom }])('need no second repair, and no repair changes what was given', (options) => {
    fc.assert(
      fc.property(mixture, (given) => {
        const messages = deepFreeze(given)
        const repaired = repairPairs(messages, options)
        const again = repairPairs(deepFreeze(repaired.messages), options)
        expect(again.repairs).toEqual([])
        expect(again.messages).toHaveLength(repaired.messages.length)
        expect(again.messages.every((message, at) => message === repaired.messages[at])).toBe(true)
        expect(JSON.stringify(repairPairs(structuredClone(messages), options))).toBe(JSON.stringify(repaired))
      }),
      { seed, numRuns: 2000 },
    )
  })

  it('are cut where nothing is orphaned that was not before, and a safe boundary stays', () => {
    fc.assert(
      fc.property(mixture, fc.nat(), (messages, where) => {
        const asked = where % (messages.length + 1)
        const boundary = safeBoundary(messages, asked, custom)
        expect(boundary).toBeLessThanOrEqual(asked)
        expect(safeBoundary(messages, boundary, custom)).toBe(boundary)
        const before = orphansOf(messages, custom)
        const after = orphansOf(messages.slice(boundary), custom).map((at) => at + boundary)
        expect(after.filter((at) => !before.includes(at))).toEqual([])
      }),
      { seed, numRuns: 1000 },
    )
  })
})

/** Where results stand that answer no call of their own block; a result may stand behind a word of the user, too. */
function orphansOf(messages: readonly object[], custom: ToolLinksOf): number[] {
  const walk = new PairWalk()
  return messages.flatMap((message, at) => walk.step(at, message, readLinks(message, custom)).orphans.map(() => at))
}
