import type { ModelUsage, Usage } from './normalise-usage.ts'

/** What all noted calls of a model took together. */
export interface UsageSum extends Usage {
  readonly calls: number
}

/** By the name of the model; `''` where a note names none. */
export type UsageSums = Readonly<Record<string, UsageSum>>

/** It travels with every append; further models are summed as one. */
const MAX_MODELS = 6

const OTHERS = 'others'

export function addUsage(sums: UsageSums | undefined, { model, ...usage }: ModelUsage): UsageSums {
  const known = sums ?? {}
  const isKnown = Object.hasOwn(known, model)
  const name = isKnown || Object.keys(known).length < MAX_MODELS ? model : OTHERS
  const sum = Object.hasOwn(known, name) ? known[name] : undefined
  const entries = Object.entries(known).filter(([other]) => other !== name)
  return Object.freeze(Object.fromEntries([...entries, [name, Object.freeze(together(sum, usage))]]))
}

function together(sum: UsageSum | undefined, usage: Usage): UsageSum {
  const total = (name: 'cacheRead' | 'cacheWrite' | 'reasoning'): object => {
    const count = (sum?.[name] ?? 0) + (usage[name] ?? 0)
    return count > 0 ? { [name]: count } : {}
  }
  return {
    calls: (sum?.calls ?? 0) + 1,
    input: (sum?.input ?? 0) + usage.input,
    output: (sum?.output ?? 0) + usage.output,
    ...total('cacheRead'),
    ...total('cacheWrite'),
    ...total('reasoning'),
  }
}
