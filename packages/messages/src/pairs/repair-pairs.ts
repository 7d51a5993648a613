import type { RepairEntry } from './repair-entry.ts'
import { repairPass } from './repair-pass.ts'
import { RepairReport, type PairRepair } from './repair-report.ts'
import type { ToolLinksOf } from './tool-links.ts'

export type { PairRepair } from './repair-report.ts'

export interface RepairedMessages<M> {
  readonly messages: M[]
  /** By message: its index in the messages that were given, -1 for an answer that was made. */
  readonly sources: readonly number[]
  /** By index; empty if nothing had to be done. */
  readonly repairs: readonly PairRepair[]
}

/**
 * Makes a history that a model API takes: results without their call are dropped, calls that were interrupted get a
 * fixed answer of their own shape (or are dropped where there is none), pending calls at the end stay as they are.
 * Changes no message that is given: what needs no repair is returned as the same object. Repairing twice changes
 * nothing more, and equal input gives equal bytes.
 */
export function repairPairs<M extends object>(
  messages: readonly M[],
  options: { readonly toolLinks?: ToolLinksOf } = {},
): RepairedMessages<M> {
  const report = new RepairReport()
  let entries: readonly RepairEntry[] = messages.map((message, index) => ({ message, index }))
  // One pass mends nearly everything. A message that loses its calls or results in one may end a turn in the next;
  // each pass makes fewer of those, and the bound holds against a `toolLinks` that answers differently each time.
  for (let pass = 0; pass <= messages.length; pass++) {
    const mended = repairPass(entries, report, options.toolLinks)
    if (mended === undefined) break
    entries = mended
  }
  // A made-up message has the shape of its neighbours, which is what `M` stands for.
  return {
    messages: entries.map(({ message }) => message as M),
    sources: entries.map(({ index }) => index),
    repairs: report.toRepairs(),
  }
}
