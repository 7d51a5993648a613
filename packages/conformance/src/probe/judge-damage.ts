import { AssertionError } from 'node:assert'
import type { Examination, Image, Outcome } from './damage.ts'

export interface Leniency {
  /** A whole-batch prefix is right if the report of open tells of it. */
  readonly prefixIfReported?: boolean
  /** A whole-batch prefix is right even if nothing tells of it. */
  readonly prefix?: boolean
  /** A session may be gone as a whole. */
  readonly absent?: boolean
}

/** Asserts that a damaged store is honest: the same events, or an error, or what the leniency allows. */
export function judgeDamage(image: Image, { findings, outcomes }: Examination, what: string, leniency: Leniency): void {
  const reported = findings.some(({ kind }) => kind === 'torn-tail' || kind === 'lost-tail')
  for (const { key, batches } of image.sessions) {
    const outcome = outcomes.get(key) as Outcome // every session of the image was examined
    if (outcome.kind === 'error') continue
    const actual = JSON.stringify(outcome.events)
    const whole = batches.flat()
    if (actual === JSON.stringify(whole) && outcome.listed) continue
    const isPrefix = batches.some((_, count) => actual === JSON.stringify(batches.slice(0, count).flat()))
    if (isPrefix && (leniency.prefix === true || (leniency.prefixIfReported === true && reported))) continue
    if (leniency.absent === true && outcome.events.length === 0) continue
    throw new AssertionError({
      message: `${what}, session ${key}`,
      expected: `its ${whole.length} events, or CORRUPT${leniency.prefixIfReported === true ? ', or whole batches and a finding torn-tail or lost-tail' : ''}`,
      actual: `seqs ${JSON.stringify(outcome.events.map(({ seq }) => seq))}${isPrefix ? '' : ' (other content, or part of a batch)'}, ${outcome.listed ? 'listed' : 'not listed'}, findings ${JSON.stringify(findings.map(({ kind }) => kind))}`,
    })
  }
}
