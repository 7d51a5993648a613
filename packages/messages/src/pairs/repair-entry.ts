/** A message on its way through the passes of a repair. */
export interface RepairEntry {
  readonly message: object
  /** The messages of the input that it stands for, in order; none if it was made. */
  readonly sources: readonly number[]
}

export function joinSources(entries: readonly RepairEntry[]): number[] {
  return [...new Set(entries.flatMap(({ sources }) => sources))].sort((left, right) => left - right)
}
