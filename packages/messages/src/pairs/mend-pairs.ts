import { isFields } from '../formats/fields.ts'
import { UNKNOWN_PART, type Answer, type Link } from '../formats/shape.ts'
import { matchPairs, type MatchedCall } from './match-pairs.ts'
import { MessageEdits } from './message-edits.ts'
import { PairZones } from './pair-zones.ts'
import { isReasoning } from './reasoning.ts'
import type { RepairEntry } from './repair-entry.ts'
import type { RepairReport } from './repair-report.ts'
import { readLinks, type ShapedLinks, type ToolLinksOf } from './tool-links.ts'

export interface MendOptions {
  readonly toolLinks?: ToolLinksOf | undefined
  /** Also answers a pending call that anything but its own results follows. */
  readonly isSettled?: boolean
}

/** Mends every pair that one walk over the messages finds broken; undefined if it finds none. */
export function mendPairs(
  entries: readonly RepairEntry[],
  report: RepairReport,
  { toolLinks, isSettled = false }: MendOptions,
): RepairEntry[] | undefined {
  const messages = entries.map(({ message }) => message)
  const links = messages.map((message) => readLinks(message, toolLinks))
  const { calls, orphans } = matchPairs(messages, links)
  const zones = new PairZones(messages, links, calls, orphans)
  const edits = new MessageEdits(entries, links, toolLinks)
  const mending: Mending = { entries, links, zones, edits, report, toolLinks }
  for (const { at, link } of orphans) {
    edits.replacePart(at, link.part, [])
    report.add(entries[at]?.sources, 'dropped-result', [link.id])
  }
  for (const [at, own] of callsByMessage(calls)) {
    const end = zones.endOf(at)
    const isInPlace = ({ result, isLate }: MatchedCall): boolean => result !== undefined && !isLate && result.at < end
    const isLeft = ({ isPending }: MatchedCall): boolean => isPending && (!isSettled || end === entries.length)
    const behind = zones.lastOf(own.filter(isInPlace), at)
    moveResults(
      mending,
      at,
      behind,
      own.filter((call) => call.result !== undefined && !isInPlace(call)),
    )
    answerCalls(
      mending,
      at,
      behind,
      own.filter((call) => call.result === undefined && !isLeft(call)),
    )
  }
  return edits.apply()
}

interface Mending {
  readonly entries: readonly RepairEntry[]
  readonly links: readonly ShapedLinks[]
  readonly zones: PairZones
  readonly edits: MessageEdits
  readonly report: RepairReport
  readonly toolLinks: ToolLinksOf | undefined
}

function callsByMessage(calls: readonly MatchedCall[]): Map<number, MatchedCall[]> {
  const byMessage = new Map<number, MatchedCall[]>()
  for (const call of calls) {
    const own = byMessage.get(call.at)
    if (own === undefined) byMessage.set(call.at, [call])
    else own.push(call)
  }
  return byMessage
}

/** Behind the message with their calls, in the order in which they were recorded. */
function moveResults(mending: Mending, at: number, behind: number, calls: readonly MatchedCall[]): void {
  const { entries, zones, edits, report } = mending
  const bySource = new Map<number, Link[]>()
  for (const { result } of calls) {
    if (result === undefined) continue
    const results = bySource.get(result.at)
    if (results === undefined) bySource.set(result.at, [result.link])
    else results.push(result.link)
  }
  for (const [from, results] of [...bySource].sort(([left], [right]) => left - right)) {
    const entry = entries[from]
    const piece = entry === undefined ? undefined : pickResults(mending, entry.message, from, results)
    if (entry === undefined || piece === undefined) continue
    for (const { part } of results) edits.replacePart(from, part, [])
    if (piece === entry.message) zones.leave(from)
    edits.insert(at, behind, { message: piece, sources: entry.sources })
    report.add(
      entry.sources,
      'moved-result',
      results.map(({ id }) => id),
    )
  }
}

/** A message of these results alone: the same object if it has nothing else. Undefined if they cannot be taken out. */
function pickResults(mending: Mending, message: object, from: number, results: readonly Link[]): object | undefined {
  const { shape, calls, results: all } = mending.links[from] ?? readLinks(undefined)
  if (calls.length === 0 && results.length === all.length) {
    const isAll =
      shape === undefined || mending.edits.rewrite(from, new Map(all.map(({ part }) => [part, []]))) === undefined
    if (isAll) return message
  }
  if (shape === undefined || !isFields(message) || results.some(({ part }) => part === UNKNOWN_PART)) return undefined
  const picked = shape.pick(message, new Set(results.map(({ part }) => part)))
  if (mending.toolLinks === undefined) return picked
  return readLinks(picked, mending.toolLinks).results.length === results.length ? picked : undefined
}

function answerCalls(mending: Mending, at: number, behind: number, calls: readonly MatchedCall[]): void {
  const { entries, edits, report } = mending
  const entry = entries[at]
  if (entry === undefined || calls.length === 0) return
  const answered: string[] = []
  const dropped: string[] = []
  const replies: object[] = []
  for (const { link } of calls) {
    const answer = answerOf(mending, entry.message, at, link)
    if (answer === undefined) edits.replacePart(at, link.part, [])
    else if ('inside' in answer) edits.replacePart(at, link.part, answer.inside)
    else replies.push(answer.reply)
    ;(answer === undefined ? dropped : answered).push(link.id)
  }
  if (dropped.length > 0 && edits.isRemoved(at)) {
    // Without the message there is nothing to answer, and the reasoning that led to its calls means nothing to the API.
    report.add(entry.sources, 'dropped-call', [...answered, ...dropped])
    edits.removeWhileBefore(at, isReasoning)
    return
  }
  report.add(entry.sources, 'answered-call', answered)
  report.add(entry.sources, 'dropped-call', dropped)
  for (const message of replies) edits.insert(at, behind, { message, sources: [] })
}

/** Only an answer that will be recognised as one: a custom function may claim the reply for itself. */
function answerOf({ links, toolLinks }: Mending, message: object, at: number, call: Link): Answer | undefined {
  const shape = links[at]?.shape
  if (shape === undefined || !isFields(message) || call.part === UNKNOWN_PART) return undefined
  const answer = shape.answer(message, call)
  if (toolLinks === undefined || answer === undefined || 'inside' in answer) return answer
  return readLinks(answer.reply, toolLinks).results.some(({ id }) => id === call.id) ? answer : undefined
}
