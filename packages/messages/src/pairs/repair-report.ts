/** One thing that was done to one message. */
export interface PairRepair {
  /** In the messages that were given. */
  readonly index: number
  /** Of the calls it was about; empty for what is no matter of pairs. */
  readonly ids: readonly string[]
  readonly action:
    | 'dropped-result'
    | 'moved-result'
    | 'answered-call'
    | 'dropped-call'
    | 'dropped-empty'
    | 'dropped-part'
    | 'dropped-cache-mark'
    | 'moved-approval'
    | 'changed-role'
    | 'merged'
    | 'made-before'
}

/** Collects what the passes do, by message of the input. */
export class RepairReport {
  readonly #repairs = new Map<string, { index: number; action: PairRepair['action']; ids: Set<string> }>()

  add(sources: readonly number[] | undefined, action: PairRepair['action'], ids?: readonly string[]): void {
    const index = sources?.[0]
    // An answer that was made is not a message of the caller.
    if (ids?.length === 0 || index === undefined) return
    const key = `${index} ${action}`
    const repair = this.#repairs.get(key) ?? { index, action, ids: new Set() }
    for (const id of ids ?? []) repair.ids.add(id)
    this.#repairs.set(key, repair)
  }

  toRepairs(): PairRepair[] {
    return [...this.#repairs.values()]
      .map(({ index, ids, action }) => ({ index, ids: [...ids], action }))
      .sort((left, right) => left.index - right.index)
  }
}
