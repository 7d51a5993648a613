import { AssertionError } from 'node:assert'

import type { Examination, FoundHead, Image, Outcome, State } from './damage.ts'

export interface Leniency {
  /** A state after some of the appends is right if the report of open tells of it. */
  readonly prefixIfReported?: boolean
  /** A state after some of the appends is right even if nothing tells of it. */
  readonly prefix?: boolean
  /** A session may be gone as a whole. */
  readonly absent?: boolean
}

/** Asserts that a damaged store is honest: the same events and heads, or an error, or what the leniency allows. */
export function judgeDamage(image: Image, { findings, outcomes }: Examination, what: string, leniency: Leniency): void {
  const reported = findings.some(({ kind }) => kind === 'torn-tail' || kind === 'lost-tail')
  const prefixes = leniency.prefix === true || (leniency.prefixIfReported === true && reported)
  for (const { key, states } of image.sessions) {
    const outcome = outcomes.get(key) as Outcome // every session of the image was examined
    const allowed = states.filter((_, count) => {
      if (count === 0) return prefixes || leniency.absent === true
      return prefixes || count === states.length - 1
    })
    if (allowed.some((state) => isRight(outcome, state))) continue
    throw new AssertionError({
      message: `${what}, session ${key}`,
      expected: `CORRUPT, or ${describe(states.at(-1)?.head, states.at(-1)?.events ?? [])}${leniency.prefixIfReported === true ? ', or less by whole appends and a finding torn-tail or lost-tail' : ''}`,
      actual: `${outcome.kind === 'error' ? outcome.code : describe(outcome.head, outcome.events)}, ${outcome.listed === undefined ? 'list refused' : `listed as ${show(outcome.listed.head)}`}, findings ${show(findings.map(({ kind }) => kind))}`,
    })
  }
}

/** An error says all there is to say, unless the list gives a head of its own beside it. */
function isRight(outcome: Outcome, { head, events }: State): boolean {
  const isListed = outcome.listed === undefined || show(outcome.listed.head) === show(head)
  if (outcome.kind === 'error') return isListed || outcome.listed?.head === undefined
  return isListed && show([outcome.head, outcome.events]) === show([head, events])
}

function describe(head: FoundHead | undefined, events: readonly unknown[]): string {
  return `${events.length} events with the head ${show(head)}`
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
