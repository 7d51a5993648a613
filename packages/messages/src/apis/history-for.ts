import { isFields } from '../formats/fields.ts'
import { joinSources, type RepairEntry } from '../pairs/repair-entry.ts'
import { isGluedToNext, isReasoning } from '../pairs/reasoning.ts'
import { mendedPairs } from '../pairs/repair-pairs.ts'
import { RepairReport, type PairRepair } from '../pairs/repair-report.ts'
import { readLinks, type ToolLinksOf } from '../pairs/tool-links.ts'
import type { ApiRules } from './api-rules.ts'
import { apis, type HistoryApi } from './apis.ts'
import { limitCacheMarks } from './cache-marks.ts'
import {
  innerOf,
  isBlankPart,
  isEmpty,
  isReasoningPart,
  mergeMessages,
  partsOf,
  roleOf,
  say,
  withInner,
  withRole,
} from './message-content.ts'

/** Said by the user in front of a history that begins with the model. Fixed, like every made text: prompts are cached. */
export const USER_BEFORE = 'Continue.'

/** Said by the model between its results and a user who did not wait for its answer. */
export const ASSISTANT_BETWEEN = 'Understood.'

export interface HistoryFor<M> {
  readonly messages: M[]
  /** By message: the indexes of all messages given that it stands for, none if it was made. */
  readonly sources: readonly (readonly number[])[]
  /** By index; empty if the history was fine as it was. */
  readonly repairs: readonly PairRepair[]
}

/**
 * The history as an API takes it: every call with its result behind it, order and beginning as the API wants them.
 * Messages are not converted, and what is fine stays the same object. Nothing that a user said and no result whose call
 * is there is lost. A pending call at the very end stays; any other gets a made answer until the real one is there. With
 * `undefined` for the API, pairs alone are mended, as the messages' own formats want it.
 */
export function historyFor<M extends object>(
  messages: readonly M[],
  api: HistoryApi | undefined,
  { toolLinks }: { readonly toolLinks?: ToolLinksOf | undefined } = {},
): HistoryFor<M> {
  const report = new RepairReport()
  const given = messages.map((message, index) => ({ message, sources: [index] }))
  const entries =
    api === undefined
      ? mendedPairs(given, report, { toolLinks })
      : entriesFor(given, { rules: apis[api], report, toolLinks })
  return {
    // A made message has the format of its neighbours, which is what `M` stands for.
    messages: entries.map(({ message }) => message as M),
    sources: entries.map(({ sources }) => sources),
    repairs: report.toRepairs(),
  }
}

/** What one step takes away may leave something for another; each round leaves less to do. */
function entriesFor(given: Entries, context: Context): Entries {
  let entries = given
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = entries
    entries = mendedPairs(entries, context.report, { toolLinks: context.toolLinks, isSettled: true })
    for (const step of STEPS) entries = step(entries, context)
    if (isSame(before, entries)) break
  }
  return entries
}

const MAX_ROUNDS = 10

type Entries = readonly RepairEntry[]

interface Context {
  readonly rules: ApiRules
  readonly report: RepairReport
  readonly toolLinks: ToolLinksOf | undefined
}

type Step = (entries: Entries, context: Context) => Entries

const STEPS: readonly Step[] = [
  dropEmpty,
  dropLoneReasoning,
  placeSystem,
  joinResults,
  putApprovalsFirst,
  takeTurns,
  beginWithUser,
  (entries, { rules: { maxCacheMarks }, report }) =>
    maxCacheMarks === undefined ? entries : limitCacheMarks(entries, maxCacheMarks, report),
]

function isSame(before: Entries, after: Entries): boolean {
  return before.length === after.length && before.every((entry, at) => entry.message === after[at]?.message)
}

function dropEmpty(entries: Entries, { rules, report }: Context): Entries {
  return entries.flatMap((entry) => {
    const { name, refusesEmpty, refusesBlankParts, refusesThinkingAtEnd } = rules
    const isDropped = refusesEmpty === true ? isEmpty(entry.message) : name === 'ai-sdk-ui' && hasNoParts(entry.message)
    if (isDropped) {
      report.add(entry.sources, 'dropped-empty')
      return []
    }
    const isRefused = (part: unknown, at: number, parts: readonly unknown[]): boolean =>
      (refusesBlankParts === true && isBlankPart(part)) ||
      (refusesThinkingAtEnd === true && parts.slice(at).every(isReasoningPart))
    const message = withoutParts(entry.message, isRefused)
    if (message === entry.message) return [entry]
    report.add(entry.sources, 'dropped-part')
    return [{ ...entry, message }]
  })
}

function hasNoParts(message: object): boolean {
  return isFields(message) && partsOf(message)?.parts.length === 0
}

function withoutParts(
  message: object,
  isRefused: (part: unknown, at: number, parts: readonly unknown[]) => boolean,
): object {
  if (!isFields(message)) return message
  const inner = innerOf(message)
  const list = roleOf(message) === undefined ? undefined : partsOf(inner)
  if (list === undefined || !list.parts.some(isRefused)) return message
  const parts = list.parts.filter((part, at, all) => !isRefused(part, at, all))
  return parts.length === 0 ? message : withInner(message, { ...inner, [list.field]: parts })
}

/** From the end, since several stand in a row in front of what they led to. */
function dropLoneReasoning(entries: Entries, { rules, report }: Context): Entries {
  if (rules.refusesLoneReasoning !== true) return entries
  const kept: RepairEntry[] = []
  for (const entry of entries.toReversed()) {
    if (isReasoning(entry.message) && !isGluedToNext(entry.message, kept.at(-1)?.message)) {
      report.add(entry.sources, 'dropped-empty')
    } else kept.push(entry)
  }
  return kept.length === entries.length ? entries : kept.reverse()
}

/** Where an API has no place for a system message, its text is what the user says: it must not be lost. */
function placeSystem(entries: Entries, { rules, report }: Context): Entries {
  const { system } = rules
  if (system === undefined) return entries
  const placed: RepairEntry[] = []
  for (const entry of entries) {
    const { message } = entry
    const last = placed.at(-1)
    const isLeading = system === 'first' && placed.every((one) => roleOf(one.message) === 'system')
    if (roleOf(message) !== 'system') placed.push(entry)
    else if (!isLeading) {
      report.add(entry.sources, 'changed-role')
      placed.push({ ...entry, message: withRole(message, 'user') })
    } else if (last === undefined) {
      const isNamed = isFields(message) && innerOf(message)['role'] === 'system'
      if (!isNamed) report.add(entry.sources, 'changed-role')
      placed.push(isNamed ? entry : { ...entry, message: withRole(message, 'system') })
    } else mergeInto(placed, last, entry, report)
  }
  return placed
}

function mergeInto(placed: RepairEntry[], last: RepairEntry, entry: RepairEntry, report: RepairReport): boolean {
  const message = mergeMessages(last.message, entry.message)
  if (message === undefined) {
    placed.push(entry)
    return false
  }
  report.add(entry.sources, 'merged')
  placed[placed.length - 1] = { message, sources: joinSources([last, entry]) }
  return true
}

function joinResults(entries: Entries, { rules, report, toolLinks }: Context): Entries {
  if (rules.joinsResults !== true) return entries
  const joined: RepairEntry[] = []
  let isBehindResults = false
  for (const entry of entries) {
    const last = joined.at(-1)
    const isResults = hasOnlyResults(entry.message, toolLinks)
    if (isResults && isBehindResults && last !== undefined) mergeInto(joined, last, entry, report)
    else joined.push(entry)
    isBehindResults = isResults
  }
  return joined
}

function hasOnlyResults(message: object, toolLinks: ToolLinksOf | undefined): boolean {
  const { results, shape } = readLinks(message, toolLinks)
  if (results.length === 0 || !isFields(message)) return false
  return shape?.rewrite(message, new Map(results.map(({ part }) => [part, []]))) === undefined
}

/** The messages of one tool turn become one if an approval in them stands behind a result. */
function putApprovalsFirst(entries: Entries, { rules, report }: Context): Entries {
  if (rules.wantsApprovalsFirst !== true) return entries
  const placed: RepairEntry[] = []
  for (const entry of entries) {
    const last = placed.at(-1)
    const isTool = roleOf(entry.message) === 'tool' && last !== undefined && roleOf(last.message) === 'tool'
    if (isTool && approvals(entry.message).length > 0) mergeInto(placed, last, entry, report)
    else placed.push(entry)
  }
  return placed.map((entry) => {
    const parts = contentParts(entry.message)
    const first = approvals(entry.message)
    const isOrdered = first.every((part, at) => parts[at] === part)
    if (roleOf(entry.message) !== 'tool' || isOrdered) return entry
    report.add(entry.sources, 'moved-approval')
    return {
      message: { ...entry.message, content: [...first, ...parts.filter((part) => !first.includes(part))] },
      sources: entry.sources,
    }
  })
}

function approvals(message: object): readonly unknown[] {
  return contentParts(message).filter((part) => isFields(part) && part['type'] === 'tool-approval-response')
}

function contentParts(message: object): readonly unknown[] {
  return isFields(message) ? (partsOf(message)?.parts ?? []) : []
}

function takeTurns(entries: Entries, { rules, report, toolLinks }: Context): Entries {
  if (rules.alternates !== true) return entries
  const placed: RepairEntry[] = []
  for (const entry of entries) {
    const last = placed.at(-1)
    const [before, now] = [
      last === undefined ? undefined : sideOf(last.message, toolLinks),
      sideOf(entry.message, toolLinks),
    ]
    if (last !== undefined && before === now && (now === 'user' || now === 'assistant')) {
      mergeInto(placed, last, entry, report)
      continue
    }
    if (last !== undefined && before === 'results' && now === 'user') {
      placed.push({ message: say(entry.message, 'assistant', ASSISTANT_BETWEEN), sources: [] })
      report.add(entry.sources, 'made-before')
    }
    placed.push(entry)
  }
  return placed
}

function sideOf(message: object, toolLinks: ToolLinksOf | undefined): 'user' | 'assistant' | 'results' | undefined {
  const role = roleOf(message)
  if (role === 'tool' || readLinks(message, toolLinks).results.length > 0) return 'results'
  return role === 'system' ? undefined : role
}

function beginWithUser(entries: Entries, { rules, report, toolLinks }: Context): Entries {
  if (rules.beginsWithUser !== true) return entries
  const first = entries.findIndex(({ message }) => roleOf(message) !== 'system')
  const entry = entries[first]
  if (entry === undefined || sideOf(entry.message, toolLinks) !== 'assistant') return entries
  report.add(entry.sources, 'made-before')
  const made = { message: say(entry.message, 'user', USER_BEFORE), sources: [] }
  return [...entries.slice(0, first), made, ...entries.slice(first)]
}
