import { PairWalk, type WalkedCall } from './pair-walk.ts'
import { isReasoning } from './reasoning.ts'
import { RepairEdits } from './repair-edits.ts'
import type { RepairEntry } from './repair-entry.ts'
import type { RepairReport } from './repair-report.ts'
import type { Fields } from '../formats/fields.ts'
import { UNKNOWN_PART, type Link, type Shape } from '../formats/shape.ts'
import { readLinks, type ShapedLinks, type ToolLinksOf } from './tool-links.ts'

interface Fault {
  orphans: readonly Link[]
  /** Calls that nobody answered and nobody will. */
  readonly unanswered: { readonly call: WalkedCall; readonly until: number }[]
}

/** Mends every fault that one walk over the messages finds; undefined if it finds none. */
export function repairPass(
  entries: readonly RepairEntry[],
  report: RepairReport,
  custom?: ToolLinksOf,
): RepairEntry[] | undefined {
  const links = entries.map(({ message }) => readLinks(message, custom))
  const { faults, resultsOf } = findFaults(entries, links)
  if (faults.size === 0) return undefined
  const edits = new RepairEdits(entries, links, custom)
  for (const [at, fault] of [...faults].sort(([left], [right]) => left - right)) {
    const entry = entries[at]
    if (entry !== undefined)
      mend(at, entry, fault, { links: links[at] ?? readLinks(undefined), resultsOf, edits, report, custom })
  }
  return edits.apply()
}

function findFaults(entries: readonly RepairEntry[], links: readonly ShapedLinks[]) {
  const walk = new PairWalk()
  const faults = new Map<number, Fault>()
  const made: WalkedCall[] = []
  /** By the index of the message with the calls: where its results are, in order. */
  const resultsOf = new Map<number, number[]>()
  const faultAt = (at: number): Fault => {
    const fault = faults.get(at) ?? { orphans: [], unanswered: [] }
    faults.set(at, fault)
    return fault
  }
  for (const [at, { message }] of entries.entries()) {
    const step = walk.step(at, message, links[at] ?? readLinks(undefined))
    for (const call of step.made) made.push(call)
    for (const call of step.answered) {
      const results = resultsOf.get(call.index)
      if (results === undefined) resultsOf.set(call.index, [at])
      else results.push(at)
    }
    if (step.orphans.length > 0) faultAt(at).orphans = step.orphans
  }
  for (const call of made) {
    // A call left open before the last block is not pending: the model went on without it.
    const until = call.state === 'open' ? walk.blockStarts[call.block + 1] : call.settledAt
    if (call.state !== 'answered' && until !== undefined) faultAt(call.index).unanswered.push({ call, until })
  }
  return { faults, resultsOf }
}

interface Surroundings {
  readonly links: ShapedLinks
  readonly resultsOf: ReadonlyMap<number, readonly number[]>
  readonly edits: RepairEdits
  readonly report: RepairReport
  readonly custom: ToolLinksOf | undefined
}

function mend(at: number, entry: RepairEntry, fault: Fault, around: Surroundings): void {
  const { links, resultsOf, edits, report, custom } = around
  const { shape } = links
  const replacements = new Map<number, readonly unknown[]>()
  const replies: { readonly reply: object; readonly after: number }[] = []
  const answered: string[] = []
  const dropped: string[] = []
  for (const { part } of fault.orphans) replacements.set(part, [])
  for (const { call, until } of fault.unanswered) {
    const answer = answerOf(entry.message, call.link, shape, custom)
    if (answer === undefined) replacements.set(call.link.part, [])
    else if ('inside' in answer) replacements.set(call.link.part, answer.inside)
    else replies.push({ reply: answer.reply, after: resultsOf.get(at)?.findLast((result) => result < until) ?? at })
    ;(answer === undefined ? dropped : answered).push(call.link.id)
  }
  const rewritten = rewrite(entry.message, replacements, links, custom)
  report.add(
    entry.index,
    'dropped-result',
    fault.orphans.map(({ id }) => id),
  )
  if (rewritten === undefined) {
    report.add(
      entry.index,
      'dropped-call',
      fault.unanswered.map(({ call }) => call.link.id),
    )
    edits.remove(at)
    // The reasoning that led to a call means nothing to the API without it.
    if (fault.unanswered.length > 0) edits.removeWhileBefore(at, isReasoning)
    return
  }
  report.add(entry.index, 'answered-call', answered)
  report.add(entry.index, 'dropped-call', dropped)
  if (rewritten !== entry.message) edits.replace(at, rewritten)
  for (const { reply, after } of replies) edits.answer(at, after, reply)
}

/** Only an answer that will be recognised as one: a custom function may claim the reply for itself. */
function answerOf(message: object, call: Link, shape: Shape | undefined, custom: ToolLinksOf | undefined) {
  if (shape === undefined || call.part === UNKNOWN_PART) return undefined
  const answer = shape.answer(message as Fields, call)
  if (custom === undefined || answer === undefined || 'inside' in answer) return answer
  return readLinks(answer.reply, custom).results.some(({ id }) => id === call.id) ? answer : undefined
}

function rewrite(
  message: object,
  replacements: ReadonlyMap<number, readonly unknown[]>,
  { shape, calls, results }: ShapedLinks,
  custom: ToolLinksOf | undefined,
): object | undefined {
  if (replacements.size === 0) return message
  if (shape === undefined || replacements.has(UNKNOWN_PART)) return undefined
  const rewritten = shape.rewrite(message as Fields, replacements)
  if (custom === undefined || rewritten === undefined) return rewritten
  // A custom function that sees the same links as before cannot have looked at the parts.
  const left = readLinks(rewritten, custom)
  return left.calls.length + left.results.length < calls.length + results.length ? rewritten : undefined
}
