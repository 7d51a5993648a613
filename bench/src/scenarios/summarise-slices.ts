import type { Slice } from '../timing/slice.ts'
import { rateOf } from '../timing/slice.ts'
import { median, medianError, quantile, ratiosByRound } from '../timing/statistics.ts'
import type { Measurement } from './scenario.ts'

export interface Measured {
  readonly id: string
  readonly label: string
  readonly note?: string | undefined
  readonly diskBytes?: number
}

/** The measurements of a scenario from the slices of its rounds. */
export function summariseSlices(
  subjects: readonly Measured[],
  slices: ReadonlyMap<string, readonly Slice[]>,
  base: string,
): Measurement[] {
  const rates = new Map<string, number[]>()
  for (const [id, rounds] of slices) {
    rates.set(id, rounds.map(rateOf))
  }
  return subjects.map(({ id, label, note, diskBytes }) => {
    const rounds = rates.get(id) ?? []
    const ratios = ratiosByRound(rounds, rates.get(base) ?? [])
    const latenciesUs = (slices.get(id) ?? []).flatMap(({ latenciesMs }) => latenciesMs.map((ms) => ms * 1000))
    return {
      contestant: id,
      label,
      ...(note === undefined ? undefined : { note }),
      rounds,
      perSecond: median(rounds),
      p50Us: quantile(latenciesUs, 0.5),
      p99Us: quantile(latenciesUs, 0.99),
      cpuUs: median((slices.get(id) ?? []).map(({ cpuMs, operations }) => (cpuMs * 1000) / operations)),
      ratio: median(ratios),
      ratioError: medianError(ratios),
      ...(diskBytes === undefined ? undefined : { diskBytes }),
    }
  })
}
