/** One thing that was done to one message. */
export interface PairRepair {
  /** In the messages that were given. */
  readonly index: number
  readonly ids: readonly string[]
  readonly action: 'dropped-result' | 'answered-call' | 'dropped-call'
}

/** Collects what the passes do, by message of the input. */
export class RepairReport {
  readonly #repairs = new Map<string, { index: number; action: PairRepair['action']; ids: Set<string> }>()

  add(index: number, action: PairRepair['action'], ids: readonly string[]): void {
    // An answer that was made up is not a message of the caller.
    if (ids.length === 0 || index < 0) return
    const key = `${index} ${action}`
    const repair = this.#repairs.get(key) ?? { index, action, ids: new Set() }
    for (const id of ids) repair.ids.add(id)
    this.#repairs.set(key, repair)
  }

  toRepairs(): PairRepair[] {
    return [...this.#repairs.values()]
      .map(({ index, ids, action }) => ({ index, ids: [...ids], action }))
      .sort((left, right) => left.index - right.index)
  }
}
