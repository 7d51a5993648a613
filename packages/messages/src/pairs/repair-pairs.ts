import { mendPairs, type MendOptions } from './mend-pairs.ts'
import type { RepairEntry } from './repair-entry.ts'
import { RepairReport, type PairRepair } from './repair-report.ts'
import type { ToolLinksOf } from './tool-links.ts'

export type { PairRepair } from './repair-report.ts'

export interface RepairedMessages<M> {
  readonly messages: M[]
  /** By message: the first of the messages given that it stands for, -1 for an answer that was made. */
  readonly sources: readonly number[]
  /** By index; empty if nothing had to be done. */
  readonly repairs: readonly PairRepair[]
}

/**
 * Makes a history that a model API takes: a result that stands elsewhere is moved behind its call, results without a
 * call are dropped, calls that were interrupted get a fixed answer of their own shape (or are dropped where there is
 * none), pending calls at the end stay as they are.
 * Changes no message that is given: what needs no repair is returned as the same object. Repairing twice changes
 * nothing more, and equal input gives equal bytes.
 */
export function repairPairs<M extends object>(
  messages: readonly M[],
  options: { readonly toolLinks?: ToolLinksOf } = {},
): RepairedMessages<M> {
  const report = new RepairReport()
  const entries = mendedPairs(
    messages.map((message, index) => ({ message, sources: [index] })),
    report,
    options,
  )
  return {
    // A made message has the shape of its neighbours, which is what `M` stands for.
    messages: entries.map(({ message }) => message as M),
    sources: entries.map(({ sources }) => sources[0] ?? -1),
    repairs: report.toRepairs(),
  }
}

/**
 * One pass mends nearly everything. A message that loses its calls or results in one may end a turn in the next; each
 * pass makes fewer of those, and the bound holds against a `toolLinks` that answers differently each time.
 */
export function mendedPairs(
  entries: readonly RepairEntry[],
  report: RepairReport,
  options: MendOptions,
): readonly RepairEntry[] {
  let mended = entries
  for (let pass = 0; pass <= entries.length; pass++) {
    const next = mendPairs(mended, report, options)
    if (next === undefined) break
    mended = next
  }
  return mended
}
